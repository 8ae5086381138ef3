#include "readers/arxiv/before.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/utf8.h"

namespace tanggul::readers::arxiv {
namespace {

constexpr char kOther = '\x01';
constexpr char kNothing = '\0';

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char l = static_cast<char>(c | 32);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

char seen(std::uint32_t c) {
  if (c == '\n' || c == '\t' || c == 0xa0 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f ||
      c == 0x3000)
    return ' ';
  if (c == 0xad || (c >= 0x200b && c <= 0x200f) || c == 0x2060 || c == 0xfeff) return kNothing;
  if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212) return '-';
  if (c > 0xff00 && c < 0xff5f) c -= 0xfee0;                        // full width
  if (c >= 0x3008 && c <= 0x3011) return (c & 1) == 0 ? '(' : ')';  // 〈 《 「 『 【
  if (c >= 0x80) return kOther;
  return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

std::uint32_t code_point(std::string_view bytes) {
  auto c = static_cast<unsigned char>(bytes[0]) & (0xffU >> (bytes.size() + 1));
  for (const char next : bytes.substr(1)) c = c << 6 | (static_cast<unsigned char>(next) & 0x3fU);
  return c;
}

// "&nbsp;", "&#58;", "&#x2f;" that ends at `end`: where it begins, and what is seen.
struct Entity {
  std::size_t begin;
  char seen;
};
std::optional<Entity> entity(std::string_view text, std::size_t end) {
  const std::size_t least = end > 10 ? end - 10 : 0;
  const std::size_t found = text.substr(least, end - least).rfind('&');
  const std::size_t begin = least + found;
  if (found == std::string_view::npos || begin + 2 >= end) return std::nullopt;
  const std::string_view name = text.substr(begin + 1, end - begin - 2);
  if (name == "nbsp") return Entity{begin, ' '};
  if (name == "colon") return Entity{begin, ':'};
  if (name[0] != '#') return Entity{begin, kOther};
  const bool sixteen = name.size() > 1 && (name[1] | 32) == 'x';
  std::uint32_t c = 0;
  for (const char digit : name.substr(sixteen ? 2 : 1)) {
    const int value = hex(digit);
    if (value < 0 || (!sixteen && value > 9)) return std::nullopt;
    c = c * (sixteen ? 16 : 10) + static_cast<std::uint32_t>(value);
  }
  return Entity{begin, seen(c)};
}

bool punctuation(char c) {
  return c > ' ' && c < 0x7f && hex(c) < 0 && !((c | 32) >= 'a' && (c | 32) <= 'z');
}

struct Unit {
  std::size_t begin;
  char seen;
};

// Characters that are seen as they are, whatever stands before them, but for '%' and '\\'.
bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' ' || c == '/' || c == '.' ||
         c == ':';
}

// The character that ends at `end`, which is not 0.
Unit unit_before(std::string_view text, std::size_t end) {
  const char c = text[end - 1];
  if (plain(c) && (end < 2 || text[end - 2] != '\\') && (end < 3 || text[end - 3] != '%'))
    return {end - 1, c};
  if (end >= 3 && text[end - 3] == '%' && hex(text[end - 2]) >= 0 && hex(c) >= 0) {
    const int byte = hex(text[end - 2]) * 16 + hex(c);
    return {end - 3, byte < 0x80 ? seen(static_cast<std::uint32_t>(byte)) : kOther};
  }
  if (c == ';')
    if (const auto found = entity(text, end)) return {found->begin, found->seen};
  if (static_cast<unsigned char>(c) >= 0x80) {
    std::size_t begin = end - 1;
    while (begin > 0 && end - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80)
      --begin;
    const std::string_view bytes = text.substr(begin, end - begin);
    if (utf8_length(bytes) != bytes.size()) return {end - 1, kOther};
    return {begin, seen(code_point(bytes))};
  }
  if (punctuation(c) && end >= 2 && text[end - 2] == '\\') return {end - 2, c};
  return {end - 1, seen(static_cast<unsigned char>(c))};
}

}  // namespace

Before::Before(std::string_view text, std::size_t place, std::size_t most) {
  const std::size_t least = buffer_.size() - std::min(most, buffer_.size());
  while (place > 0 && start_ > least) {
    if (place >= 2 && text[place - 1] == '\n' && text[place - 2] == '\n') return;
    const Unit unit = unit_before(text, place);
    if (unit.seen != kNothing) buffer_[--start_] = unit.seen;
    place = unit.begin;
  }
}

}  // namespace tanggul::readers::arxiv
