#include "cache/copy_format.h"

#include <algorithm>

#include "base/digest.h"
#include "cache/byte_fields.h"
#include "cache/entry_format.h"
#include "tanggul/policy/freshness.h"

namespace tanggul::cache {
namespace {

constexpr std::uint8_t kVersion = 1;
enum Kind : std::uint8_t { whole = 0, elsewhere_ = 1, failed = 2 };

void begin(FieldWriter& to, Kind kind, const ports::PurgePlace& asked_at) {
  to.number(kVersion);
  to.number(static_cast<std::uint8_t>(kind));
  to.text(asked_at.epoch);
  to.number(asked_at.sequence);
}

bool append_body(std::string& out, const Body& body) {
  if (const auto* bytes = std::get_if<SharedBytes>(&body)) {
    if (*bytes) out.append(**bytes);
    return true;
  }
  const auto& file = std::get<FileBody>(body);
  const std::size_t before = out.size();
  out.resize(before + file.size);
  return file.file->read(file.offset, out.data() + before, file.size).has_value();
}

// The bodies that follow an entry, put into its forms.
bool take_bodies(DecodedEntry& from, std::string_view bytes) {
  for (std::size_t i = 0; i < from.bodies.size(); ++i) {
    const StoredBody& body = from.bodies[i];
    if (!body.present) continue;
    if (body.length > bytes.size()) return false;
    const std::string_view own = bytes.substr(0, body.length);
    bytes.remove_prefix(body.length);
    if (!body.sha256.empty() && Digest::of(DigestKind::sha256, own) != body.sha256) return false;
    from.entry.forms[i].body = std::make_shared<const std::string>(own);
  }
  return bytes.empty();
}

// Nothing was stored later than now: the clock of who wrote it is ahead of ours, and what it counts
// until then would be fresh for that much too long. When it was stored stays: it tells copies
// apart.
void distrust_clock(policy::StoredTimes& times, WallTime now) {
  if (times.stored_at <= now) return;
  const bool ever_fresh = times.expires > times.stored_at;
  times.expires =
      ever_fresh ? now + (times.expires - times.stored_at) : std::min(times.expires, now);
}

Result<void> read_entry(std::string_view encoded, std::string_view after, Copy& copy,
                        WallTime now) {
  auto decoded = decode(encoded);
  if (!decoded) return Errc::bad_input;
  copy.key = std::move(decoded->key);
  for (const StoredBody& body : decoded->bodies) copy.sizes.push_back(body.length);
  if (copy.elsewhere ? !after.empty() : !take_bodies(*decoded, after)) return Errc::bad_input;
  copy.entry = std::make_shared<Entry>(std::move(decoded->entry));
  distrust_clock(copy.entry->times, now);
  if (!copy.elsewhere) encode_heads(*copy.entry);
  return {};
}

bool read_failure(FieldReader& from, Copy& copy, Now now) {
  Failure& f = copy.failure.emplace();
  const auto code = from.number<std::uint8_t>();
  f.code = static_cast<Errc>(code);
  f.status = from.number<std::uint16_t>();
  f.from_origin = from.number<std::uint8_t>() != 0;
  f.title = from.text();
  f.detail = from.text();
  const auto expires = from.number<std::int64_t>();
  copy.expires = WallTime(Duration(expires));
  // No memory of ours is longer than this, whatever another node's clock says.
  copy.expires = std::min(copy.expires, now.wall + policy::kLongestFailure);
  f.retry_at = now.mono + std::max(copy.expires - now.wall, Duration::zero());
  return from.good() && from.at_end() && code > 0 && code <= static_cast<int>(Errc::internal) &&
         f.status >= 400 && f.status <= 599;
}

}  // namespace

ByteCount bodies_of(const Entry& entry) noexcept {
  ByteCount sum = 0;
  for (const Form& form : entry.forms) sum += size_of(form.body);
  return sum;
}

std::string encode_copy(const Entry& entry, std::string_view key, const Variant& variant,
                        const ports::PurgePlace& asked_at, bool elsewhere) {
  const std::string encoded = encode(entry, key);
  if (encoded.empty()) return {};
  std::string out;
  FieldWriter to(out);
  begin(to, elsewhere ? elsewhere_ : whole, asked_at);
  to.count(variant.names.size());
  for (const std::string& name : variant.names) to.text(name);
  to.text(variant.values);
  to.text(encoded);
  if (elsewhere) return out;
  out.reserve(out.size() + bodies_of(entry));
  for (const Form& form : entry.forms)
    if (!append_body(out, form.body)) return {};
  return out;
}

std::string encode_copy(const Failure& failure, WallTime expires,
                        const ports::PurgePlace& asked_at) {
  std::string out;
  FieldWriter to(out);
  begin(to, failed, asked_at);
  to.number(static_cast<std::uint8_t>(failure.code));
  to.number(static_cast<std::uint16_t>(failure.status));
  to.number<std::uint8_t>(failure.from_origin ? 1 : 0);
  to.text(failure.title);
  to.text(failure.detail);
  to.number<std::int64_t>(expires.time_since_epoch().count());
  return out;
}

Result<Copy> decode_copy(std::string_view bytes, Now now) {
  FieldReader from(bytes);
  Copy copy;
  const auto version = from.number<std::uint8_t>();
  const auto kind = from.number<std::uint8_t>();
  copy.asked_at.epoch = from.text();
  copy.asked_at.sequence = from.number<std::uint64_t>();
  if (!from.good() || version != kVersion || kind > failed) return Errc::bad_input;
  if (kind == failed) {
    if (!read_failure(from, copy, now)) return Errc::bad_input;
    return copy;
  }
  copy.elsewhere = kind == elsewhere_;
  for (std::size_t n = from.count(4); n > 0; --n) copy.variant.names.emplace_back(from.text());
  copy.variant.values = from.text();
  const std::string_view encoded = from.text();
  if (!from.good()) return Errc::bad_input;
  if (const auto read = read_entry(encoded, from.rest(), copy, now.wall); !read)
    return read.error();
  return copy;
}

}  // namespace tanggul::cache
