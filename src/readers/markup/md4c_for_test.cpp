#include <md4c.h>

#include "readers/markup/oracle_for_test.h"

namespace tanggul::readers {
namespace {

// Follows md4c's calls; one document's.
class Listener {
 public:
  Outline read(std::string_view text, bool with_tables) {
    MD_PARSER parser{};
    parser.flags = with_tables ? MD_FLAG_TABLES : 0;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<Listener*>(self)->enter(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<Listener*>(self)->leave(type);
    };
    parser.enter_span = parser.leave_span = [](MD_SPANTYPE, void*, void*) { return 0; };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<Listener*>(self)->text(type, {text, size});
    };
    md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, this);
    return std::move(out_);
  }

 private:
  int enter(MD_BLOCKTYPE type, void* detail) {
    if (type == MD_BLOCK_LI) flush();
    if (type == MD_BLOCK_H)
      level_ = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
    if (type == MD_BLOCK_TABLE) out_.tables.emplace_back();
    if (type == MD_BLOCK_THEAD) in_head_ = true;
    if (type == MD_BLOCK_TR && !in_head_) out_.tables.back().rows.emplace_back();
    if (type != MD_BLOCK_LI && type != MD_BLOCK_UL && type != MD_BLOCK_OL) text_.clear();
    return 0;
  }

  int leave(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_H:
        out_.headings.emplace_back(level_, folded(text_));
        break;
      case MD_BLOCK_THEAD:
        in_head_ = false;
        break;
      case MD_BLOCK_TH:
        out_.tables.back().header.push_back(folded(text_));
        break;
      case MD_BLOCK_TD:
        out_.tables.back().rows.back().push_back(folded(text_));
        break;
      case MD_BLOCK_P:
        out_.paragraphs.push_back(folded(text_));
        break;
      case MD_BLOCK_CODE:
        if (text_.ends_with('\n')) text_.pop_back();
        out_.codes.push_back(text_);
        break;
      default:
        break;
    }
    text_.clear();
    return 0;
  }

  // Text of a tight list's item is in no paragraph.
  void flush() { text_.clear(); }

  int text(MD_TEXTTYPE type, std::string_view text) {
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
      text_ += ' ';
    else if (type == MD_TEXT_NULLCHAR)
      text_ += "\xef\xbf\xbd";
    else
      text_ += text;
    return 0;
  }

  Outline out_;
  std::string text_;
  int level_ = 0;
  bool in_head_ = false;
};

}  // namespace

Outline md4c_outline(std::string_view text) { return Listener().read(text, true); }

Outline read_by_md4c(Outline ours, std::string_view text) {
  return read_texts(std::move(ours), text, [](const std::string& document) {
    return Listener().read(document, false).paragraphs;
  });
}

}  // namespace tanggul::readers
