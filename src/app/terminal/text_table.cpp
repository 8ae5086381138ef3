#include "app/terminal/text_table.h"

#include <algorithm>

namespace tanggul::app {
namespace {

constexpr std::string_view kPlain = "\x1b[0m", kIndent = "    ";

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string room(width - std::min(width, text.size()), ' ');
  return left ? text + room : room + text;
}

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

// The first `columns` characters, the colours among them put out at the end, and what stood behind
// them erased. Not behind a full line: there the cursor still stands on its last character.
std::string drawn(std::string_view line, std::size_t columns, std::string_view erase) {
  std::string out;
  bool coloured = false;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == '\x1b') {
      const std::size_t end = std::min(line.find('m', i), line.size() - 1) + 1;
      out.append(line.substr(i, end - i));
      coloured = !out.ends_with(kPlain);
      i = end;
      continue;
    }
    if (taken == columns) break;
    ++taken;
    out += line[i++];
  }
  if (coloured) out += kPlain;
  return taken < columns ? out.append(erase) : out;
}

}  // namespace

std::string cut(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  text.resize(width - std::min<std::size_t>(3, width));
  return text.append(std::min<std::size_t>(3, width), '.');
}

std::string painted(const std::string& text, const char* colour, bool wanted) {
  return wanted && *colour != '\0' ? colour + text + std::string(kPlain) : text;
}

std::string TextTable::text(std::size_t width, bool colour) const {
  std::vector<std::size_t> widths;
  for (const Line& line : lines_) {
    if (line.note) continue;
    widths.resize(std::max(widths.size(), line.row.size()));
    for (std::size_t i = 0; i < line.row.size(); ++i)
      widths[i] = std::max(widths[i], line.row[i].text.size());
  }
  std::string out;
  for (const Line& line : lines_) {
    std::string text;
    for (std::size_t i = 0; i < line.row.size() && !line.note; ++i) {
      const Cell& cell = line.row[i];
      if (i > 0) text += "  ";
      text += painted(padded(cell.text, widths[i], i < left_), cell.colour, colour);
    }
    if (line.note) {
      const Cell& cell = line.row.front();
      text = painted(cut(std::string(kIndent) + cell.text, width), cell.colour, colour);
    }
    trim_end(text);
    out += text + "\n";
  }
  return out;
}

std::string redrawn(std::string_view text, std::size_t columns, std::size_t rows) {
  std::string out = "\x1b[H";
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const bool last = end == text.size() || row + 1 == rows;
    if (row > 0) out += "\r\n";
    out += drawn(text.substr(0, end), columns, "\x1b[K");
    if (!last) {
      text.remove_prefix(end + 1);
      continue;
    }
    if (row + 1 < rows) out += "\r\n\x1b[J";
    break;
  }
  return out;
}

}  // namespace tanggul::app
