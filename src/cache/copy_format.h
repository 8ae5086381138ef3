#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cache/entry.h"
#include "ports/membership.h"
#include "tanggul/base/clock.h"

namespace tanggul::cache {

// How an entry or a failure is written for other nodes. Integers are little-endian, `text` is a u32
// length and that many bytes; a layout that changes gets another version.
//
//   u8   version, 1
//   u8   0 an entry with its bodies, 1 an entry whose body lies elsewhere, 2 a failure
//   text epoch, u64 sequence: the cluster's purges that were known when it was asked for
//   entry:   u32 number of names that select a variant, each: text; text their values; text as in
//            entry_format.h; then the bodies, one after the other
//   failure: u8 code, u16 status, u8 from the origin, text title, text detail,
//            i64 expires (nanoseconds since 1970)
struct Variant {
  std::vector<std::string> names;  // of request headers that select one; empty: it is the only one
  std::string values;              // in the request that was sent
};

struct Copy {
  ports::PurgePlace asked_at;
  std::string key;
  std::shared_ptr<Entry> entry;  // with bodies and heads, unless `elsewhere`
  std::vector<ByteCount> sizes;  // of the bodies, one for each form; with `elsewhere` only
  bool elsewhere = false;
  Variant variant;
  std::optional<Failure> failure;  // retry_at is when its memory ends
  WallTime expires;                // of the failure
};

// `elsewhere`: without the bodies. Empty: a body cannot be read, or the entry cannot be written.
std::string encode_copy(const Entry& entry, std::string_view key, const Variant& variant,
                        const ports::PurgePlace& asked_at, bool elsewhere);
std::string encode_copy(const Failure& failure, WallTime expires,
                        const ports::PurgePlace& asked_at);
// What the bodies of an entry weigh together.
ByteCount bodies_of(const Entry& entry) noexcept;

// Exactly what encode_copy() wrote, bodies checked by their digests; else bad_input. What it holds
// of memory is bounded by the input.
Result<Copy> decode_copy(std::string_view bytes, Now now);

}  // namespace tanggul::cache
