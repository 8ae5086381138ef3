#include "app/terminal/text_table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace tanggul::app {
namespace {

TEST(TextTable, PutsNumbersToTheRightAndNotesBelow) {
  TextTable table({{"NAME"}, {"N"}}, 1);
  table.add({{"a"}, {"1,234"}});
  table.note({"why it is so"});
  table.add({{"longer"}, {"5"}});
  EXPECT_EQ(table.text(80, false),
            "NAME        N\n"
            "a       1,234\n"
            "    why it is so\n"
            "longer      5\n");
  EXPECT_EQ(table.text(10, false).find("    why...\n"), 28U);
}

TEST(TextTable, ColoursNothingWhereNoneIsWanted) {
  TextTable table({{"N"}}, 1);
  table.add({{"a", "\x1b[31m"}});
  EXPECT_EQ(table.text(80, false), "N\na\n");
  EXPECT_EQ(table.text(80, true), "N\n\x1b[31ma\x1b[0m\n");
}

TEST(Redrawn, ErasesWhatIsLeftBehindEachLineAndBelow) {
  EXPECT_EQ(redrawn("ab\nc\n", 80, 24), "\x1b[Hab\x1b[K\r\nc\x1b[K\r\n\x1b[J");
  EXPECT_EQ(redrawn("", 80, 24), "\x1b[H\x1b[K\r\n\x1b[J");
}

TEST(Redrawn, CutsLinesAndColoursEndWithThem) {
  EXPECT_EQ(redrawn("a\x1b[31mbcd\x1b[0m\nx", 2, 24),
            "\x1b[Ha\x1b[31mb\x1b[0m\r\nx\x1b[K\r\n\x1b[J");
}

TEST(Redrawn, NeverScrollsNorWraps) {
  EXPECT_TRUE(rc::check("whatever the window", [] {
    const auto columns = *rc::gen::inRange<std::size_t>(1, 30);
    const auto rows = *rc::gen::inRange<std::size_t>(1, 6);
    std::string text;
    for (const std::size_t n :
         *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 40)))
      text += std::string(n, 'x') + "\n";
    const std::string out = redrawn(text, columns, rows);
    RC_ASSERT(std::count(out.begin(), out.end(), '\n') < static_cast<std::ptrdiff_t>(rows));
    for (std::size_t from = 0, to = 0; from < out.size(); from = to + 1) {
      to = std::min(out.find('\n', from), out.size());
      const std::string line = out.substr(from, to - from);
      RC_ASSERT(static_cast<std::size_t>(std::count(line.begin(), line.end(), 'x')) <= columns);
    }
  }));
}

}  // namespace
}  // namespace tanggul::app
