#include "readers/text/decoder.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "readers/text/eight_bytes.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kLooked = 4096;  // bytes that tell the encoding
constexpr char32_t kReplacement = 0xfffd;

// The WHATWG's windows-1252 where it differs from Latin-1; 0 means the same number.
constexpr char16_t kWindows1252[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

char32_t windows_1252(unsigned char byte) {
  const char16_t other = byte >= 0x80 && byte < 0xa0 ? kWindows1252[byte - 0x80] : 0;
  return other != 0 ? other : byte;
}

// How many bytes from the start are ASCII without '\r' and NUL: they stay as they are.
std::size_t plain(std::string_view bytes) {
  std::size_t n = 0;
  for (; n + 8 <= bytes.size(); n += 8) {
    const std::uint64_t eight = eight_bytes(bytes, n);
    const std::uint64_t cr = eight ^ (kOnes * '\r');
    if (((eight | ((eight - kOnes) & ~eight) | ((cr - kOnes) & ~cr)) & kHighBits) != 0) break;
  }
  while (n < bytes.size() && bytes[n] > 0 && bytes[n] != '\r') ++n;
  return n;
}

// Could more bytes make a character of these, of which none is one yet?
bool may_go_on(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const std::size_t whole = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (lead > 0xf4 || bytes.size() >= whole) return false;
  for (const char c : bytes.substr(1))
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) return false;
  return true;
}

Encoding by_zeros(std::string_view bytes) {
  if (bytes.find('\0') == std::string_view::npos) return Encoding::utf8;
  std::size_t even = 0, odd = 0;
  const std::size_t pairs = bytes.size() / 2;
  for (std::size_t i = 0; i < pairs * 2; ++i)
    if (bytes[i] == 0) ++(i % 2 == 0 ? even : odd);
  const std::size_t most = std::max(even, odd), least = std::min(even, odd);
  if (most == 0 || least * 16 > most) return Encoding::utf8;
  // Scripts beyond Latin have zeros only in their spaces and marks; but they are no UTF-8 either.
  const bool zeros_rule = most * 5 >= pairs * 2;
  if (!zeros_rule && (most * 20 < pairs || is_utf8(bytes))) return Encoding::utf8;
  return odd > even ? Encoding::utf16_le : Encoding::utf16_be;
}

}  // namespace

void Decoder::feed(std::string_view bytes) {
  read_ += bytes.size();
  if (decided_) return decode(bytes);
  pending_ += bytes;
  if (pending_.size() >= kLooked) decide();
}

void Decoder::decide() {
  decided_ = true;
  const std::string first = std::exchange(pending_, {});
  std::string_view rest = first;
  if (rest.starts_with("\xff\xfe")) {
    encoding_ = Encoding::utf16_le, rest.remove_prefix(2);
  } else if (rest.starts_with("\xfe\xff")) {
    encoding_ = Encoding::utf16_be, rest.remove_prefix(2);
  } else if (rest.starts_with("\xef\xbb\xbf")) {
    rest.remove_prefix(3);
  } else {
    encoding_ = by_zeros(rest.substr(0, kLooked));
  }
  decode(rest);
}

void Decoder::decode(std::string_view bytes) {
  if (pending_.empty()) {
    encoding_ == Encoding::utf8 ? decode_utf8(bytes) : decode_utf16(bytes);
    return;
  }
  // At most three bytes wait, so the copy is of a few more.
  const std::size_t few = std::min<std::size_t>(bytes.size(), 8);
  const std::string joined = std::exchange(pending_, {}) + std::string(bytes.substr(0, few));
  encoding_ == Encoding::utf8 ? decode_utf8(joined) : decode_utf16(joined);
  if (few < bytes.size()) decode(bytes.substr(few));
}

void Decoder::put_plain(std::string_view bytes) {
  if (after_cr_ && !bytes.empty() && bytes[0] == '\n') bytes.remove_prefix(1);
  after_cr_ = false;
  text_ += bytes;
}

void Decoder::put(char32_t c, int from) {
  const bool after_cr = std::exchange(after_cr_, c == '\r');
  if (c == '\n' && after_cr) return;
  if (c == '\r') c = '\n';
  const std::size_t begin = text_.size();
  append_utf8(c, text_);  // a NUL becomes U+FFFD there
  if (text_.find('\n', counted_to_) != std::string::npos) longer_ = 0;
  counted_to_ = text_.size();
  if (c != '\n') longer_ += static_cast<std::int64_t>(text_.size() - begin) - from;
}

void Decoder::decode_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    if (const std::size_t n = plain(bytes); n > 0) {
      put_plain(bytes.substr(0, n));
      bytes.remove_prefix(n);
      continue;
    }
    const std::size_t length = utf8_length(bytes);
    if (length > 1) {
      after_cr_ = false;
      text_ += bytes.substr(0, length);
    } else if (length == 0 && may_go_on(bytes)) {
      pending_ = bytes;
      return;
    } else {
      put(windows_1252(static_cast<unsigned char>(bytes[0])), 1);
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

void Decoder::decode_utf16(std::string_view bytes) {
  const int first = encoding_ == Encoding::utf16_le ? 0 : 1;
  while (bytes.size() >= 2) {
    const auto low = static_cast<unsigned char>(bytes[static_cast<std::size_t>(first)]);
    const auto up = static_cast<unsigned char>(bytes[static_cast<std::size_t>(1 - first)]);
    const auto unit = static_cast<char16_t>(up << 8 | low);
    bytes.remove_prefix(2);
    const bool second = unit >= 0xdc00 && unit < 0xe000;
    const char16_t high = std::exchange(high_, 0);
    if (high != 0 && second) {
      put(0x10000 + ((high - 0xd800U) << 10) + (unit - 0xdc00U), 4);
      continue;
    }
    if (high != 0) put(kReplacement, 2);
    if (unit >= 0xd800 && unit < 0xdc00)
      high_ = unit;
    else
      put(second ? kReplacement : unit, 2);
  }
  pending_ = bytes;
}

std::string Decoder::finish(bool cut) {
  if (!decided_) decide();
  for (const char c : std::exchange(pending_, {}))
    put(encoding_ == Encoding::utf8 ? windows_1252(static_cast<unsigned char>(c)) : kReplacement,
        1);
  if (std::exchange(high_, 0) != 0) put(kReplacement, 2);
  if (const std::size_t end = text_.rfind('\n'); cut && end != std::string::npos) {
    if (end >= counted_to_) longer_ = 0;
    read_ -=
        static_cast<std::uint64_t>(static_cast<std::int64_t>(text_.size() - end - 1) - longer_);
    text_.resize(end + 1);
  }
  return std::move(text_);
}

std::string decode(std::string_view bytes) {
  Decoder decoder;
  decoder.reserve(bytes.size());
  decoder.feed(bytes);
  return decoder.finish();
}

}  // namespace tanggul::readers
