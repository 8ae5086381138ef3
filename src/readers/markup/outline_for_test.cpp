#include "readers/markup/outline_for_test.h"

#include <algorithm>

#include "readers/markup/gathered.h"
#include "readers/markup/markdown.h"

namespace tanggul::readers {
namespace {

class Gatherer final : public BlockSink {
 public:
  explicit Gatherer(Outline& out) : out_(out) {}

  void block(const Block& block) override {
    const std::string text(block.text);
    switch (block.kind) {
      case Block::Kind::heading:
        out_.headings.emplace_back(block.level, text);
        break;
      case Block::Kind::paragraph:
        out_.paragraphs.push_back(text);
        break;
      case Block::Kind::code:
        out_.codes.push_back(text);
        break;
      case Block::Kind::html:
        out_.htmls.push_back(text);
        break;
    }
  }
  void begin_table(const Cells& header, std::uint32_t) override {
    out_.tables.push_back({{header.begin(), header.end()}, {}});
  }
  void row(const Cells& cells, std::uint32_t) override {
    std::vector<std::string> row(cells.begin(), cells.end());
    row.resize(out_.tables.back().header.size());
    out_.tables.back().rows.push_back(std::move(row));
  }
  void end_table() override {}

 private:
  Outline& out_;
};

std::string joined(const std::vector<std::string>& cells) {
  std::string out;
  for (const auto& cell : cells) out += "[" + cell + "]";
  return out;
}

}  // namespace

Outline outline_of(std::string_view text) {
  Outline out;
  Gatherer gatherer(out);
  scan_markdown(text, gatherer);
  return out;
}

std::string printed(const Outline& outline) {
  std::string out;
  for (const auto& [level, text] : outline.headings)
    out += "heading " + std::to_string(level) + " [" + text + "]\n";
  for (const auto& text : outline.paragraphs) out += "paragraph [" + text + "]\n";
  for (const auto& text : outline.codes) out += "code [" + text + "]\n";
  for (const auto& text : outline.htmls) out += "html [" + text + "]\n";
  for (const auto& table : outline.tables) {
    out += "table " + joined(table.header) + "\n";
    for (const auto& row : table.rows) out += "  row " + joined(row) + "\n";
  }
  return out;
}

}  // namespace tanggul::readers
