#include "markdown_peers.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <md4c.h>

namespace tanggul::bench {

void parse_with_cmark_gfm(std::string_view text) {
  cmark_gfm_core_extensions_ensure_registered();
  cmark_parser* const parser = cmark_parser_new(CMARK_OPT_DEFAULT);
  for (const char* name : {"table", "autolink"})
    cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension(name));
  cmark_parser_feed(parser, text.data(), text.size());
  cmark_node* const document = cmark_parser_finish(parser);
  cmark_parser_free(parser);
  cmark_node_free(document);
}

void parse_with_md4c(std::string_view text) {
  MD_PARSER parser{};
  parser.flags = MD_DIALECT_GITHUB;
  parser.enter_block = [](MD_BLOCKTYPE, void*, void*) { return 0; };
  parser.leave_block = parser.enter_block;
  parser.enter_span = [](MD_SPANTYPE, void*, void*) { return 0; };
  parser.leave_span = parser.enter_span;
  parser.text = [](MD_TEXTTYPE, const MD_CHAR*, MD_SIZE, void*) { return 0; };
  ::md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, nullptr);
}

}  // namespace tanggul::bench
