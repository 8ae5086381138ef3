#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <memory>

#include "readers/markup/oracle_for_test.h"

namespace tanggul::readers {
namespace {

using Node = std::unique_ptr<cmark_node, decltype(&cmark_node_free)>;

Node parsed(std::string_view text, bool with_tables) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
      cmark_parser_new(CMARK_OPT_DEFAULT), &cmark_parser_free);
  if (with_tables)
    cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return {cmark_parser_finish(parser.get()), &cmark_node_free};
}

std::string_view literal(cmark_node* node) {
  const char* text = cmark_node_get_literal(node);
  return text == nullptr ? std::string_view() : text;
}

void read_text(cmark_node* parent, std::string& out) {
  for (auto* node = cmark_node_first_child(parent); node != nullptr; node = cmark_node_next(node)) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) out += ' ';
    out += literal(node);
    read_text(node, out);
  }
}

std::string text_of(cmark_node* node) {
  std::string out;
  read_text(node, out);
  return folded(out);
}

std::string without_last_newline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> cells_of(cmark_node* row) {
  std::vector<std::string> cells;
  for (auto* cell = cmark_node_first_child(row); cell != nullptr; cell = cmark_node_next(cell))
    cells.push_back(text_of(cell));
  return cells;
}

void gather(cmark_node* parent, Outline& out) {
  for (auto* node = cmark_node_first_child(parent); node != nullptr; node = cmark_node_next(node)) {
    const std::string_view type = cmark_node_get_type_string(node);
    if (type == "heading") {
      out.headings.emplace_back(cmark_node_get_heading_level(node), text_of(node));
    } else if (type == "paragraph") {
      out.paragraphs.push_back(text_of(node));
    } else if (type == "code_block") {
      out.codes.push_back(without_last_newline(literal(node)));
    } else if (type == "html_block") {
      out.htmls.push_back(without_last_newline(literal(node)));
    } else if (type == "table") {
      out.tables.emplace_back();
      gather(node, out);
    } else if (type == "table_header") {
      out.tables.back().header = cells_of(node);
    } else if (type == "table_row") {
      out.tables.back().rows.push_back(cells_of(node));
    } else {
      gather(node, out);
    }
  }
}

}  // namespace

Outline cmark_outline(std::string_view text) {
  Outline out;
  gather(parsed(text, true).get(), out);
  return out;
}

Outline read_by_cmark(Outline ours, std::string_view text) {
  return read_texts(std::move(ours), text, [](const std::string& document) {
    std::vector<std::string> texts;
    const Node root = parsed(document, false);
    for (auto* node = cmark_node_first_child(root.get()); node != nullptr;
         node = cmark_node_next(node))
      texts.push_back(text_of(node));
    return texts;
  });
}

}  // namespace tanggul::readers
