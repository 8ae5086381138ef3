// What the disk tier reads beside entries: the seal behind a body, and the journal of purges.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "cache/disk/body_format.h"
#include "cache/disk/own_body.h"
#include "cache/purge_journal.h"
#include "check.h"

using namespace tanggul;

namespace {

const std::string kPath =
    (std::filesystem::temp_directory_path() / ("fuzz-cache-" + std::to_string(::getpid())))
        .string();

void put(std::string_view bytes) {
  std::ofstream(kPath, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Either it is refused, or what is read of it has the digest that was asked for.
void read_body(std::string_view file, std::string_view sha256, ByteCount length) {
  put(file);
  auto opened = cache::File::open(kPath);
  FUZZ_CHECK(opened);
  if (!cache::read_seal(**opened, sha256, length)) return;
  if (!(*opened)->right(0, length)) return;
  FUZZ_CHECK(cache::digest_of(**opened, 0, length) == sha256);
}

// Whatever it was, it goes on from there: what is appended is read back.
void read_journal(std::string_view file) {
  put(file);
  std::size_t before = 0;
  const cache::PurgeJournal::Record added{cache::PurgeJournal::Rule::tag, 7, "t"};
  {
    cache::PurgeJournal journal(kPath);
    before = journal.take_records().size();
    FUZZ_CHECK(journal.append(added));
  }
  cache::PurgeJournal again(kPath);
  const auto records = again.take_records();
  FUZZ_CHECK(records.size() == before + 1 && records.back().what == "t");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view all(reinterpret_cast<const char*>(data), size);
  if (all.empty()) return 0;
  const auto length = static_cast<ByteCount>(all.front());
  all.remove_prefix(1);
  read_journal(all);
  read_journal("tanggul purges 1\n" + std::string(all));
  const std::string_view body = all.substr(0, length);
  const std::string sha256 = Digest::of(DigestKind::sha256, body);
  read_body(all, sha256, length);
  cache::BodySeal seal;
  seal.update(body);
  std::string whole = std::string(body) + seal.finish();
  read_body(whole, sha256, body.size());
  if (!all.empty()) whole[all.size() * 7 % whole.size()] ^= static_cast<char>(all.back());
  read_body(whole, sha256, body.size());
  ::unlink(kPath.c_str());
  return 0;
}
