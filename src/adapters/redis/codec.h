#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "adapters/redis/reply.h"

struct redisReader;

namespace tanggul::redis {

// One command as it goes over the wire. Its arguments may hold any byte.
class Encoded {
 public:
  explicit Encoded(std::span<const std::string_view> args);
  std::string_view bytes() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(char* bytes) const noexcept;
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_ = 0;
};

// Replies out of a stream of bytes. What a broken or hostile server sends costs no more memory than
// one longest reply. Not thread-safe.
class ReplyReader {
 public:
  static constexpr std::size_t kLongest = 8 << 20;    // bytes of one reply
  static constexpr std::size_t kMostItems = 1 << 14;  // of one reply, those of arrays in it too

  ReplyReader();
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  void feed(std::string_view bytes);
  enum class Next { reply, more, broken };
  // After `broken` nothing more comes: the stream has lost its place.
  Next next(Reply& reply);

 private:
  struct Making;
  std::unique_ptr<Making> making_;
  redisReader* reader_;
  std::size_t unread_ = 0;  // fed since the last whole reply, at least
  bool broken_ = false;
};

}  // namespace tanggul::redis
