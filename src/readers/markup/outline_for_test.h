#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tanggul::readers {

// What readers of Markdown must agree on, in the order of the document.
struct Outline {
  struct Table {
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
    bool operator==(const Table&) const = default;
  };
  std::vector<Table> tables;
  std::vector<std::string> codes;                     // without their last line end
  std::vector<std::pair<int, std::string>> headings;  // with their levels
  std::vector<std::string> htmls;                     // blocks
  std::vector<std::string> paragraphs;
  bool operator==(const Outline&) const = default;
};
std::string printed(const Outline& outline);

// Of our scanner; text of cells, headings and paragraphs as it is written.
Outline outline_of(std::string_view text);

// Of cmark-gfm and of md4c, text as it is read: without marks and the targets of links.
Outline cmark_outline(std::string_view text);
Outline md4c_outline(std::string_view text);

// An outline of ours with its text read by them, so that only structure is compared. `text`
// is the document, which may define what its links refer to.
Outline read_by_cmark(Outline ours, std::string_view text);
Outline read_by_md4c(Outline ours, std::string_view text);

}  // namespace tanggul::readers
