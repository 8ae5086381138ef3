// What git says: the names of a tree, and where links that a tree holds lead.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/git/head.h"
#include "adapters/git/tree_records.h"
#include "check.h"
#include "ports/tree_links.h"

using namespace tanggul;

namespace {

// All that a stream holds, fed in pieces of that size.
std::string all_in(std::string_view stream, std::size_t piece) {
  git::TreeRecords records;
  std::string out;
  for (; !stream.empty(); stream.remove_prefix(std::min(piece, stream.size()))) {
    records.take(stream.substr(0, piece), [&](const git::TreeEntry& entry) {
      FUZZ_CHECK(git::is_object_id(entry.id));
      FUZZ_CHECK(!entry.path.empty() && entry.path.find('\0') == entry.path.npos);
      out.append(entry.id).append(entry.path).push_back('\n');
      return true;
    });
  }
  return out + std::to_string(records.left_out());
}

// Every name is a link of that text.
void follow(std::string_view path, std::string_view target) {
  int asked = 0;
  const auto end = ports::resolved_in_tree(path, [&](const std::string& at) -> ports::LinkAt {
    FUZZ_CHECK(!at.empty() && !at.starts_with('/') && !at.ends_with('/'));
    for (const char* const up : {"/../", "//", "/./"}) FUZZ_CHECK(at.find(up) == at.npos);
    if (++asked % 2 == 0) return {};
    return {std::string(target)};
  });
  FUZZ_CHECK(end.unread || !(end.path + "/").starts_with("../"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = all_in(bytes, size + 1);
  for (const std::size_t piece : {1UL, 7UL, 4096UL}) FUZZ_CHECK(all_in(bytes, piece) == whole);
  const std::size_t half = std::min(bytes.find('\0'), size);
  follow(bytes.substr(0, half), bytes.substr(std::min(half + 1, size)));
  FUZZ_CHECK(git::without_userinfo(bytes).size() <= size);
  return 0;
}
