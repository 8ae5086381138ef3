#pragma once

#include <string>
#include <string_view>

#include "readers/markup/block.h"

namespace tanggul::readers {

// Writes down what a scanner finds, an event a line: "1 h2 Title", "3 p one/two" with '/' for line
// ends, "5 code bibtex: …", "9 html …", "11 table [a][b]", "13 row [1][2]", "end".
class Events final : public BlockSink {
 public:
  void block(const Block& block) override {
    std::string what;
    switch (block.kind) {
      case Block::Kind::heading:
        what = "h" + std::to_string(block.level) + " ";
        break;
      case Block::Kind::paragraph:
        what = "p ";
        break;
      case Block::Kind::code:
        what = "code " + std::string(block.info) + ": ";
        break;
      case Block::Kind::html:
        what = "html ";
        break;
    }
    for (const char c : block.text) what += c == '\n' ? '/' : c;
    add(block.line, what);
  }
  void begin_table(const Cells& header, std::uint32_t line) override {
    add(line, "table " + joined(header));
  }
  void row(const Cells& cells, std::uint32_t line) override { add(line, "row " + joined(cells)); }
  void end_table() override { all_ += "end\n"; }

  const std::string& all() const { return all_; }

 private:
  static std::string joined(const Cells& cells) {
    std::string out;
    for (const std::string_view cell : cells) (((out += '[') += cell) += ']');
    return out;
  }
  void add(std::uint32_t line, const std::string& what) {
    all_ += std::to_string(line) + " " + what + "\n";
  }

  std::string all_;
};

}  // namespace tanggul::readers
