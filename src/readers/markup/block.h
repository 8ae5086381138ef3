#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tanggul::readers {

// A leaf of a document's structure. Its text is the block's lines without the marks of the quotes
// and lists it stands in, joined by '\n'; they follow each other in the file from `line` on.
struct Block {
  enum class Kind { paragraph, heading, code, html };

  Kind kind = Kind::paragraph;
  int level = 0;           // of a heading, from 1
  std::string_view info;   // of a fence: "bibtex"
  std::string_view text;   // valid during the call
  std::uint32_t line = 0;  // from 1
};

// What a scanner of a markup finds, in the order of the document. A block of very many lines comes
// as several of its kind. Of a table first the header comes, then each row with at most as many
// cells as the header has, those that are missing being empty; cells are as written, without the
// space around them.
class BlockSink {
 public:
  using Cells = std::vector<std::string_view>;

  virtual ~BlockSink() = default;
  virtual void block(const Block& block) = 0;
  virtual void begin_table(const Cells& header, std::uint32_t line) = 0;
  virtual void row(const Cells& cells, std::uint32_t line) = 0;
  virtual void end_table() = 0;
};

}  // namespace tanggul::readers
