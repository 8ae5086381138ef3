#include "cache/body_readers.h"

#include <algorithm>

namespace tanggul::cache {

void BodyReaders::leave(const void* reader) {
  std::erase_if(readers_, [&](const Reader& r) { return r.id == reader; });
}

void BodyReaders::move(const void* reader, ByteCount at) {
  for (Reader& r : readers_)
    if (r.id == reader) r.at = at;
}

ByteCount BodyReaders::slowest(ByteCount end) const noexcept {
  ByteCount at = end;
  for (const Reader& r : readers_)
    if (!r.too_slow) at = std::min(at, r.at);
  return at;
}

void BodyReaders::judge(MonoTime now, ByteCount end, ByteCount lag, Duration patience,
                        ByteCount min_rate) {
  for (Reader& r : readers_) {
    const bool lags = end - std::min(r.at, end) >= lag;
    if (!lags || r.measured == MonoTime{}) r.measured = now, r.measured_at = r.at;
    if (now - r.measured < patience) continue;
    const double least = static_cast<double>(min_rate) * seconds(now - r.measured);
    r.too_slow = r.too_slow || static_cast<double>(r.at - r.measured_at) < least;
    r.measured = now;
    r.measured_at = r.at;
  }
}

}  // namespace tanggul::cache
