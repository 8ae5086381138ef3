#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace tanggul::cache {

// Appends little-endian integers and length-prefixed text.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}

  template <std::integral T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      out_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
  void count(std::size_t n) { number(static_cast<std::uint32_t>(n)); }
  void text(std::string_view s) { count(s.size()), out_.append(s); }

 private:
  std::string& out_;
};

// Reads them back. Once something does not fit it stays bad and gives zeros and empty text, so that
// a run of fields is checked once at its end.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : left_(bytes) {}

  template <std::integral T>
  T number() {
    const std::string_view raw = take(sizeof(T));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < raw.size(); ++i)
      value |= std::uint64_t{static_cast<unsigned char>(raw[i])} << (8 * i);
    return static_cast<T>(value);
  }
  std::string_view text() { return take(number<std::uint32_t>()); }
  // The number of items that take `least` bytes or more each; bad if those cannot be there.
  std::size_t count(std::size_t least) {
    const std::size_t n = number<std::uint32_t>();
    if (n > left_.size() / least) good_ = false;
    return good_ ? n : 0;
  }
  bool good() const noexcept { return good_; }
  bool at_end() const noexcept { return left_.empty(); }
  std::string_view rest() const noexcept { return left_; }

 private:
  std::string_view take(std::size_t n) {
    if (!good_ || n > left_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view out = left_.substr(0, n);
    left_.remove_prefix(n);
    return out;
  }

  std::string_view left_;
  bool good_ = true;
};

}  // namespace tanggul::cache
