#include "readers/metadata/value.h"

#include <gtest/gtest.h>

namespace tanggul::readers {
namespace {

TEST(Value, ReadsTheNumberThatIsMeant) {
  const std::pair<const char*, double> cases[] = {
      {"0.9", 0.9},
      {"95.3%", 95.3},
      {"95.3 %", 95.3},
      {"1e-3", 1e-3},
      {" 12.4 ± 0.2", 12.4},
      {"12.4±0.2", 12.4},
      {"12.4 +/- 0.2", 12.4},
      {"45.67 (0.12)", 45.67},
      {"-3.5", -3.5},
      {"−3.5", -3.5},
      {"+2", 2},
      {".5", 0.5},
      {"5.", 5},
      {"007", 7},
      {"81.2*", 81.2},
      {"81.2\\%", 81.2},
      {"81.2% (top-1)", 81.2},
      {"0", 0},
      {"1E5", 1e5},
      {"12.4 $\\pm$ 0.2", 12.4},
  };
  for (const auto& [text, number] : cases) EXPECT_EQ(parse_number(text), number) << text;
}

TEST(Value, DoesNotGuess) {
  for (const char* text :
       {"",      " ",      "XX.XX",     "null",      "~",          "-",     "+",     ".",
        "%",     "N/A",    "nan",       "inf",       "-inf",       ".inf",  "1,234", "95,3",
        "10k",   "7B",     "88.1/92.3", "88.1 92.3", "v1.5",       "1.2.3", "--5",   "+-5",
        "1e999", "1e-999", "0x10",      "12:30",     "2021-01-01", "1_000", "[1, 2]"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(Value, IsPrintedAsItIsOnlyWhereJsonTakesIt) {
  for (const char* text : {"0", "-0", "0.5", "10", "-1.5e-3", "1E5", "123456789012345678901"}) {
    EXPECT_TRUE(make_value(text, true).json_number) << text;
    EXPECT_FALSE(make_value(text, false).json_number) << text;
  }
  for (const char* text : {"01", "+1", ".5", "5.", "95%", " 1", "1 ", "1e999", "1e", "NaN", ""}) {
    EXPECT_FALSE(make_value(text, true).json_number) << text;
  }
}

}  // namespace
}  // namespace tanggul::readers
