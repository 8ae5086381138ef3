#include "cache/entry_format.h"

#include <algorithm>
#include <limits>

#include "cache/byte_fields.h"

namespace tanggul::cache {
namespace {

constexpr std::string_view kMagic = "tanggul\n";
constexpr std::size_t kVersionAt = 8, kSizeAt = 12, kChecksumAt = 16, kChecksumSize = 32;
constexpr std::size_t kMostForms = 16;
enum Flag : std::uint8_t { negative = 1, revalidatable = 2, no_cache = 4, must_revalidate = 8 };

std::uint8_t flags_of(const Entry& e) {
  return static_cast<std::uint8_t>(
      (e.negative ? negative : 0) | (e.revalidatable ? revalidatable : 0) |
      (e.times.no_cache ? no_cache : 0) | (e.times.must_revalidate ? must_revalidate : 0));
}

void write_form(const Form& form, std::string_view file_checksum, FieldWriter& to) {
  to.text(form.encoding);
  to.text(form.etag);
  const auto* bytes = std::get_if<SharedBytes>(&form.body);
  const bool present = bytes == nullptr || *bytes != nullptr;
  to.number<std::uint8_t>(present ? 1 : 0);
  to.number<std::uint64_t>(size_of(form.body));
  if (!present) {
    to.text({});
  } else if (bytes != nullptr) {
    to.text(Digest::of(DigestKind::sha256, **bytes));
  } else {
    to.text(file_checksum);
  }
}

void write_payload(const Entry& e, std::string_view key, std::span<const std::string> checksums,
                   FieldWriter& to) {
  to.text(key);
  to.number(static_cast<std::uint8_t>(e.kind == Entry::Kind::solo ? 2 : static_cast<int>(e.kind)));
  to.number(flags_of(e));
  to.number(static_cast<std::uint16_t>(e.status));
  for (const WallTime t : {e.times.stored_at, e.times.birth, e.times.expires})
    to.number<std::int64_t>(t.time_since_epoch().count());
  for (const Duration d : {e.times.stale_while_revalidate, e.times.stale_if_error, e.times.cost})
    to.number<std::int64_t>(d.count());
  to.number(e.generation);
  to.text(e.origin_etag);
  to.count(e.tags.size());
  for (const std::uint64_t tag : e.tags) to.number(tag);
  to.count(e.headers.size());
  for (const auto& h : e.headers) to.text(h.name), to.text(h.value);
  to.count(e.vary.size());
  for (const auto& name : e.vary) to.text(name);
  to.count(e.digests.size());
  for (const auto& d : e.digests)
    to.text(d.file), to.text(d.url), to.text(d.integrity), to.text(d.sha1);
  to.count(e.forms.size());
  for (std::size_t i = 0; i < e.forms.size(); ++i)
    write_form(e.forms[i], i < checksums.size() ? checksums[i] : std::string_view(), to);
}

std::string checksum(std::string_view whole) {
  Digest digest(DigestKind::sha256);
  digest.update(whole.substr(0, kChecksumAt));
  digest.update(whole.substr(kEntryPrefix));
  return digest.finish();
}

bool is_line(std::string_view s) noexcept {
  return s.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

// Whatever anybody adds or subtracts of these must fit: moments lie in 1938…2223, and no length of
// time reaches past the end of the clock.
bool read_times(FieldReader& from, policy::StoredTimes& times) {
  constexpr std::int64_t kFirst = -1'000'000'000'000'000'000, kLast = 8'000'000'000'000'000'000;
  std::int64_t latest = 0;
  for (WallTime* t : {&times.stored_at, &times.birth, &times.expires}) {
    const auto n = from.number<std::int64_t>();
    if (n < kFirst || n > kLast) return false;
    *t = WallTime(Duration(n));
    latest = std::max(latest, n);
  }
  for (Duration* d : {&times.stale_while_revalidate, &times.stale_if_error, &times.cost}) {
    *d = Duration(from.number<std::int64_t>());
    if (d->count() < 0 || d->count() > std::numeric_limits<std::int64_t>::max() - latest)
      return false;
  }
  return true;
}

bool read_kind(FieldReader& from, Entry& e) {
  constexpr Entry::Kind kKinds[] = {Entry::Kind::response, Entry::Kind::vary, Entry::Kind::solo};
  const auto kind = from.number<std::uint8_t>();
  const auto flags = from.number<std::uint8_t>();
  e.status = from.number<std::uint16_t>();
  if (kind >= std::size(kKinds) || flags > 15) return false;
  e.kind = kKinds[kind];
  e.negative = (flags & negative) != 0;
  e.revalidatable = (flags & revalidatable) != 0;
  e.times.no_cache = (flags & no_cache) != 0;
  e.times.must_revalidate = (flags & must_revalidate) != 0;
  return e.kind != Entry::Kind::response || (e.status >= 100 && e.status <= 999);
}

bool read_headers(FieldReader& from, Entry& e) {
  constexpr std::size_t kLeast = 8;  // two lengths
  for (std::size_t n = from.count(kLeast); n > 0; --n) {
    const std::string_view name = from.text(), value = from.text();
    if (name.empty() || !is_line(name) || !is_line(value)) return false;
    e.headers.add(name, value);
  }
  for (std::size_t n = from.count(4); n > 0; --n) e.vary.emplace_back(from.text());
  return from.good();
}

bool read_digests(FieldReader& from, Entry& e) {
  constexpr std::size_t kLeast = 16;  // four lengths
  for (std::size_t n = from.count(kLeast); n > 0; --n) {
    ArtifactDigest d;
    for (std::string* field : {&d.file, &d.url, &d.integrity, &d.sha1}) *field = from.text();
    if (!from.good()) return false;
    // The look-up halves its way through them.
    if (!e.digests.empty() && !(e.digests.back().file < d.file)) return false;
    e.digests.push_back(std::move(d));
  }
  return from.good();
}

bool read_forms(FieldReader& from, DecodedEntry& out) {
  constexpr std::size_t kLeast = 21;
  const std::size_t forms = from.count(kLeast);
  if (forms > kMostForms || (forms == 0 && out.entry.kind == Entry::Kind::response)) return false;
  for (std::size_t i = 0; i < forms; ++i) {
    Form& form = out.entry.forms.emplace_back();
    StoredBody& body = out.bodies.emplace_back();
    form.encoding = from.text();
    form.etag = from.text();
    const auto present = from.number<std::uint8_t>();
    body.present = present != 0;
    body.length = from.number<std::uint64_t>();
    body.sha256 = from.text();
    const bool checked = body.sha256.empty() || body.sha256.size() == kChecksumSize;
    if (present > 1 || !checked || !is_line(form.encoding) || !is_line(form.etag)) return false;
    if (!body.present && (body.length != 0 || !body.sha256.empty())) return false;
    if (body.length > static_cast<ByteCount>(std::numeric_limits<std::int64_t>::max()))
      return false;  // over any offset of a file
  }
  return from.good();
}

}  // namespace

std::string encode(const Entry& entry, std::string_view key,
                   std::span<const std::string> file_checksums) {
  if (entry.kind == Entry::Kind::failure) return {};
  std::string out(kMagic);
  FieldWriter to(out);
  to.number(kEntryVersion);
  out.resize(kEntryPrefix);
  write_payload(entry, key, file_checksums, to);
  if (out.size() > kLongestEntry) return {};
  std::string size;
  FieldWriter(size).count(out.size() - kEntryPrefix);
  out.replace(kSizeAt, size.size(), size);
  out.replace(kChecksumAt, kChecksumSize, checksum(out));
  return out;
}

boost::system::error_code unknown_version() noexcept {
  return make_error_code(boost::system::errc::not_supported);
}

Result<std::size_t> encoded_size(std::string_view prefix) {
  if (prefix.size() < kEntryPrefix || !prefix.starts_with(kMagic)) return Errc::bad_input;
  FieldReader from(prefix.substr(kSizeAt));
  const std::size_t size = kEntryPrefix + from.number<std::uint32_t>();
  if (size > kLongestEntry) return Errc::bad_input;
  return size;
}

Result<DecodedEntry> decode(std::string_view bytes) {
  const auto size = encoded_size(bytes);
  if (!size) return size.error();
  if (*size != bytes.size() || checksum(bytes) != bytes.substr(kChecksumAt, kChecksumSize))
    return Errc::bad_input;
  if (FieldReader(bytes.substr(kVersionAt)).number<std::uint32_t>() != kEntryVersion)
    return unknown_version();
  FieldReader from(bytes.substr(kEntryPrefix));
  DecodedEntry out;
  out.key = from.text();
  bool good = read_kind(from, out.entry) && read_times(from, out.entry.times);
  out.entry.generation = from.number<Generation>();
  out.entry.origin_etag = from.text();
  for (std::size_t n = from.count(sizeof(std::uint64_t)); n > 0; --n)
    out.entry.tags.push_back(from.number<std::uint64_t>());
  good = good && is_line(out.entry.origin_etag) && read_headers(from, out.entry) &&
         read_digests(from, out.entry) && read_forms(from, out);
  if (!good || !from.good() || !from.at_end()) return Errc::bad_input;
  return out;
}

}  // namespace tanggul::cache
