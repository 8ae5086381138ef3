#include "readers/markup/oracle_for_test.h"

#include "readers/markup/line.h"

namespace tanggul::readers {
namespace {

constexpr std::string_view kFirst = "x ";

// "[name]: where" on lines of their own.
std::string definitions(std::string_view document) {
  std::string all;
  while (!document.empty()) {
    const std::string_view line = trim(take_line(document));
    if (line.starts_with('[') && line.find("]:") != line.npos) all += std::string(line) + "\n\n";
  }
  return all;
}

template <class Visit>
void each_text(Outline& outline, Visit visit) {
  for (auto& table : outline.tables) {
    for (auto& cell : table.header) visit(cell, true);
    for (auto& row : table.rows)
      for (auto& cell : row) visit(cell, true);
  }
  for (auto& heading : outline.headings) visit(heading.second, false);
  for (auto& paragraph : outline.paragraphs) visit(paragraph, false);
}

// Further lines are indented so far that they begin nothing.
std::string as_lines_of_text(std::string_view text) {
  std::string out(take_line(text));
  while (!text.empty()) (out += "\n    ") += take_line(text);
  return out;
}

std::string unescaped_pipes(std::string_view cell) {
  std::string out;
  for (std::size_t at = 0; at < cell.size(); ++at) {
    if (cell[at] == '\\' && at + 1 < cell.size() && cell[at + 1] == '|') ++at;
    out += cell[at];
  }
  return out;
}

}  // namespace

std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\v' && c != '\f')
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

Outline read_texts(Outline ours, std::string_view document, const ReadParagraphs& read) {
  std::string paragraphs;
  each_text(ours, [&](const std::string& text, bool cell) {
    paragraphs += kFirst;
    paragraphs += (cell ? unescaped_pipes(text) : as_lines_of_text(text)) + "\n\n";
  });
  const std::vector<std::string> texts = read(paragraphs + definitions(document));
  std::size_t next = 0;
  each_text(ours, [&](std::string& text, bool) {
    std::string seen = next < texts.size() ? texts[next++] : "(no text)";
    text = folded(seen.substr(std::min(kFirst.size(), seen.size())));
  });
  return ours;
}

}  // namespace tanggul::readers
