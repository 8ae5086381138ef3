#include "readers/metadata/yaml_excess.h"

#include <algorithm>
#include <cstdint>

namespace tanggul::readers {
namespace {

constexpr std::uint32_t kMostFlowTokens = 100'000, kMostOnALine = 20'000, kMostStrayLines = 1000;

bool is_stray(std::string_view line) {
  if (line.empty() || line.find(':') != std::string_view::npos) return false;
  return std::string_view(" \t\r-#?.%]},'\"|>&*!").find(line[0]) == std::string_view::npos;
}

}  // namespace

const char* excess_of_tokens(std::string_view text, std::size_t depth) {
  constexpr std::string_view kBlank = " \t\n\r", kTokens = "[]{},\"'*&:!";
  std::uint32_t run = 0, tokens = 0, on_line = 0, open_on_line = 0;
  for (const char c : text) {
    if (c == '\n') on_line = open_on_line = 0;
    const bool opens = c == '[' || c == '{', closes = c == ']' || c == '}';
    if ((opens || closes || c == ',') && ++tokens > kMostFlowTokens) return "YAML: too many values";
    if (kTokens.find(c) != kTokens.npos && ++on_line > kMostOnALine)
      return "YAML: too many values on a line";
    if (opens && (++run > depth || ++open_on_line > 8 * depth)) return "YAML: nested too deeply";
    if (closes && open_on_line > 0) --open_on_line;
    if (!opens && c != ',' && kBlank.find(c) == kBlank.npos) run = 0;
  }
  return nullptr;
}

std::size_t worth_parsing(std::string_view text) {
  std::uint32_t stray = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (is_stray(text.substr(at, end - at)) && ++stray > kMostStrayLines) return at;
    at = end + 1;
  }
  return text.size();
}

}  // namespace tanggul::readers
