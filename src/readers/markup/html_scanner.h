#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tanggul::readers {

struct HtmlTable {
  std::uint32_t line = 0;
  std::size_t header_rows = 0;  // rows from the top that are header: in <thead>, or of <th> alone
  std::vector<std::vector<std::string>> rows;  // a cell that spans many stands in each of them
};

// <h1> … <h6>, and <summary> as level 7, which ends with its <details> by an empty one.
struct HtmlHeading {
  int level = 1;
  std::string text;
  std::size_t begin = 0, end = 0;  // places in the block that was fed last
};

// Reads a document's raw HTML, block after block, as a browser would as far as its comments, tables
// and headings go: a block may begin what a later one ends, and Markdown between two blocks belongs
// to the cell that is open. Linear and bounded: tables in tables are read eight deep, of all tables
// together 20,000 cells, of a cell 1 KiB.
class HtmlScanner {
 public:
  // Gives the block with its comments blanked out, places kept; valid until the next call.
  std::string_view feed(std::string_view html, std::uint32_t line);
  // Markdown's text between blocks of HTML.
  void text(std::string_view text);
  void finish();

  bool in_comment() const { return in_comment_; }
  bool in_table() const { return !open_.empty(); }
  // Since the last call.
  std::vector<HtmlHeading> take_headings() { return std::exchange(headings_, {}); }
  std::vector<HtmlTable> take_tables() { return std::exchange(tables_, {}); }

 private:
  struct Below {  // a cell that reaches into rows to come
    std::size_t rows = 0;
    std::string text;
  };
  struct Open {
    HtmlTable table;
    std::vector<std::string> row;
    std::vector<Below> below;
    std::string cell;
    bool in_row = false, in_cell = false, in_head = false, header = false, only_header = true;
    std::size_t columns = 1, rows = 1;  // that the cell spans
  };

  std::string_view without_comments(std::string_view html);
  void tag(std::string_view tag, std::size_t at);
  void opening(std::string_view name, std::string_view tag, std::size_t at);
  void closing(std::string_view name, std::size_t at);
  void begin_table();
  void begin_row();
  void begin_cell(std::string_view tag, bool header);
  bool full() const;
  bool take_room(const std::string& text);
  void carry_down();
  void place(std::string text, std::size_t rows);
  void end_cell();
  void end_row();
  void end_table();
  void end_heading(std::size_t at);

  bool in_comment_ = false;
  std::string scratch_, html_;
  std::uint32_t line_ = 0;
  std::vector<Open> open_;
  std::size_t cells_ = 0, bytes_ = 0;  // of all tables
  HtmlHeading heading_;
  bool in_heading_ = false;
  std::vector<HtmlHeading> headings_;
  std::vector<HtmlTable> tables_;
};

}  // namespace tanggul::readers
