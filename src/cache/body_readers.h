#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "tanggul/base/clock.h"

namespace tanggul::cache {

// Where each reader of a growing body is, and which of them is not worth waiting for. Not
// thread-safe. Time is an argument.
class BodyReaders {
 public:
  // A reader is known by an address; it begins at byte 0.
  void enter(const void* reader) { readers_.push_back({reader}); }
  void leave(const void* reader);
  void move(const void* reader, ByteCount at);
  std::size_t size() const noexcept { return readers_.size(); }

  // The place up to which all that are waited for have read; `end` where there is none.
  ByteCount slowest(ByteCount end) const noexcept;
  // Who is `lag` or more behind `end`, and has been slower than `min_rate` (bytes a second) for
  // `patience`, is waited for no longer. Who is up with the others waits itself and is not slow.
  void judge(MonoTime now, ByteCount end, ByteCount lag, Duration patience, ByteCount min_rate);

 private:
  struct Reader {
    const void* id;
    ByteCount at = 0;
    MonoTime measured{};        // when it was last measured,
    ByteCount measured_at = 0;  // and where it was then
    bool too_slow = false;
  };
  std::vector<Reader> readers_;
};

}  // namespace tanggul::cache
