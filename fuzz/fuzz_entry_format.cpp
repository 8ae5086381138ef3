#include <cstdint>

#include "cache/entry_format.h"
#include "check.h"

using namespace tanggul;

namespace {

// The same bytes as payload, under a checksum that fits: nothing gets past it by mutation alone.
std::string sealed(std::string_view payload) {
  std::string out("tanggul\n\2\0\0\0", 12);
  for (int i = 0; i < 4; ++i) out += static_cast<char>(payload.size() >> (8 * i));
  return out + Digest::of(DigestKind::sha256, out + std::string(payload)) + std::string(payload);
}

void read(std::string_view bytes) {
  const auto got = cache::decode(bytes);
  if (!got) return;
  const cache::Entry& entry = got->entry;
  FUZZ_CHECK(got->bodies.size() == entry.forms.size());
  FUZZ_CHECK(entry.kind != cache::Entry::Kind::response || !entry.forms.empty());
  for (const auto& d : entry.digests) FUZZ_CHECK(entry.digest_of(d.file) == &d);
  // Undefined behaviour if these do not fit.
  (void)(entry.times.expires + entry.times.stale_while_revalidate);
  (void)(entry.times.expires + entry.times.stale_if_error);
  (void)(entry.times.expires - entry.times.birth);
  const auto again = cache::decode(cache::encode(entry, got->key));
  FUZZ_CHECK(again && again->key == got->key &&
             again->entry.headers.size() == entry.headers.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  read(all);
  read(sealed(all));
  return 0;
}
