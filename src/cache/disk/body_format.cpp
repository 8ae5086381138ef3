#include "cache/disk/body_format.h"

#include <sys/stat.h>

#include <algorithm>

#include "cache/byte_fields.h"

namespace tanggul::cache {
namespace {

constexpr std::string_view kMagic = "tglbody1";
constexpr std::size_t kDigestSize = 32;
constexpr std::size_t kFixed = kDigestSize + 8 + 8 + kMagic.size();

}  // namespace

void BodySeal::update(std::string_view bytes) {
  digest_.update(bytes);
  size_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t n = std::min<std::size_t>(bytes.size(), BlockChecks::kBlock - block_.size());
    if (block_.empty() && n == BlockChecks::kBlock) {
      sums_.push_back(BlockChecks::sum(bytes.substr(0, n)));
    } else {
      block_ += bytes.substr(0, n);
      if (block_.size() == BlockChecks::kBlock) {
        sums_.push_back(BlockChecks::sum(block_));
        block_.clear();
      }
    }
    bytes.remove_prefix(n);
  }
}

std::string BodySeal::finish() {
  if (!block_.empty()) sums_.push_back(BlockChecks::sum(block_));
  block_.clear();
  sha256_ = digest_.finish();
  std::string out;
  FieldWriter to(out);
  for (const std::uint64_t sum : sums_) to.number(sum);
  out += sha256_;
  to.number<std::uint64_t>(size_);
  to.number(BlockChecks::sum(out));
  out += kMagic;
  return out;
}

Result<void> read_seal(File& file, std::string_view sha256, ByteCount length) {
  const std::size_t blocks = BlockChecks::blocks(length);
  const std::size_t size = blocks * 8 + kFixed;
  struct stat now = {};
  if (::fstat(file.descriptor(), &now) != 0) return Errc::io;
  if (static_cast<ByteCount>(now.st_size) != length + size) return Errc::bad_input;
  const auto seal = file.read(length, size);
  if (!seal) return seal.error();
  const std::string_view checked = std::string_view(*seal).substr(0, size - 8 - kMagic.size());
  FieldReader from(*seal);
  std::vector<std::uint64_t> sums(blocks);
  for (auto& sum : sums) sum = from.number<std::uint64_t>();
  FieldReader end(std::string_view(*seal).substr(checked.size()));
  const bool good = checked.substr(blocks * 8, kDigestSize) == sha256 &&
                    end.number<std::uint64_t>() == BlockChecks::sum(checked) &&
                    seal->ends_with(kMagic);
  if (!good) return Errc::bad_input;
  file.set_checks(BlockChecks(std::move(sums), length));
  return {};
}

}  // namespace tanggul::cache
