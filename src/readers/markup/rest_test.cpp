#include "readers/markup/rest.h"

#include <gtest/gtest.h>

#include "readers/markup/events_for_test.h"

namespace tanggul::readers {
namespace {

std::string events(std::string_view text) {
  Events events;
  scan_rest(text, events);
  return events.all();
}

TEST(Rest, ReadsTitlesByTheirAdornments) {
  EXPECT_EQ(events("Title\n=====\n\ntext\n\nPart\n----\n\nAgain\n-----\n\nNext\n====\n"),
            "1 h1 Title\n4 p text\n6 h2 Part\n9 h2 Again\n12 h1 Next\n");
  EXPECT_EQ(events("=====\nTitle\n=====\n\nPart\n====\n"), "2 h1 Title\n5 h2 Part\n")
      << "an overline is another style";
}

TEST(Rest, ReadsTransitionsAsNothing) { EXPECT_EQ(events("a\n\n----\n\nb\n"), "1 p a\n5 p b\n"); }

TEST(Rest, ReadsLiteralBlocksAsCode) {
  EXPECT_EQ(events("Like this::\n\n  @misc{a,\n\n  }\n\nafter\n"),
            "1 p Like this::\n3 code :   @misc{a,//  }\n7 p after\n");
  EXPECT_EQ(events("::\n\n    a\n"), "1 p ::\n3 code :     a\n");
}

TEST(Rest, ReadsCodeDirectivesAsCode) {
  EXPECT_EQ(events(".. code-block:: bibtex\n\n   @misc{a}\n\nafter\n"),
            "3 code :    @misc{a}\n5 p after\n");
  EXPECT_EQ(events(".. code:: python\n\n   a\n\n   b\n"), "3 code :    a//   b\n");
}

TEST(Rest, LeavesCommentsOut) {
  EXPECT_EQ(events(".. a comment\n   that goes on\n\n   and on\n\ntext\n"), "6 p text\n");
  EXPECT_EQ(events("..\n   a comment\n\ntext\n"), "4 p text\n");
}

TEST(Rest, ReadsTargetsFootnotesAndSubstitutionsAsText) {
  EXPECT_EQ(events(".. _paper: https://arxiv.org/abs/1706.03762\n"),
            "1 p .. _paper: https://arxiv.org/abs/1706.03762\n");
  EXPECT_EQ(events(".. [1] A. Author, arXiv:1706.03762\n   and more\n"),
            "1 p .. [1] A. Author, arXiv:1706.03762\n2 p and more\n");
  EXPECT_EQ(events(".. |badge| image:: https://x\n   :target: https://arxiv.org/abs/1706.03762\n"),
            "1 p .. |badge| image:: https://x\n2 p :target: https://arxiv.org/abs/1706.03762\n");
  EXPECT_EQ(events(".. note::\n\n   text\n\n   more\n"), "1 p .. note::\n3 p text\n5 p more\n");
}

TEST(Rest, ReadsRawHtmlAsHtml) {
  EXPECT_EQ(events(".. raw:: html\n\n   <p>a</p>\n\nb\n"), "3 html    <p>a</p>\n5 p b\n");
  EXPECT_EQ(events(".. raw:: latex\n\n   a\n\nb\n"), "5 p b\n");
}

TEST(Rest, ReadsAllElseAsParagraphs) {
  EXPECT_EQ(events("- a\n- b\n\n:field: c\n\n=====  =====\na      b\n=====  =====\n"),
            "1 p - a/- b\n4 p :field: c\n6 p =====  =====/a      b/=====  =====\n");
}

TEST(Rest, EndsOnAnyText) {
  for (const char* text :
       {"", "\n", "..", "::", "===", "..\n", "a\n==", "===\n===\n", ".. ::", ".. _"})
    EXPECT_NO_THROW(events(text)) << text;
}

}  // namespace
}  // namespace tanggul::readers
