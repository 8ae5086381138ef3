#include "readers/tables/number.h"

#include <gtest/gtest.h>

namespace tanggul::readers {
namespace {

TEST(CellNumber, ReadsWhatPeopleWrite) {
  struct Case {
    const char* cell;
    double value;
  };
  for (const auto& [cell, value] : {Case{"92.64", 92.64},
                                    {"92.64%", 92.64},
                                    {"92.64 %", 92.64},
                                    {"87.5±.3", 87.5},
                                    {"87.5 ± 0.3", 87.5},
                                    {"5.11 (5.11)", 5.11},
                                    {"36.6 pass@1", 36.6},
                                    {"1,234", 1234},
                                    {"1,234,567.5", 1234567.5},
                                    {".5", 0.5},
                                    {"-1.5", -1.5},
                                    {"−1.5", -1.5},
                                    {"–1.5", -1.5},
                                    {"+0.3", 0.3},
                                    {"~5", 5},
                                    {"≈5", 5},
                                    {"< 0.01", 0.01},
                                    {"≥ 3", 3},
                                    {"1e-3", 1e-3},
                                    {"1.5E+4", 1.5e4},
                                    {"2e5", 2e5},
                                    {"42", 42},
                                    {"0", 0},
                                    {"43.6*", 43.6},
                                    {"↑ 2.1", 2.1},
                                    {"2.1 ↑", 2.1},
                                    {"81.2 / 95.1", 81.2},
                                    {"0.84* / 0.65**", 0.84},
                                    {"94.2†", 94.2},
                                    {"(77.1)", 77.1},
                                    {"$1.50", 1.5},
                                    {"0,913", 0.913},
                                    {"12,5", 12.5},
                                    {"$\\mathbf{88.2}$", 88.2},
                                    {"\\textbf{88.2}", 88.2},
                                    {"🥇 88.8", 88.8},
                                    {"88.8 1", 88.8},
                                    {"80.0 [1]", 80}})
    if (const auto number = cell_number(cell))
      EXPECT_DOUBLE_EQ(number->value, value) << cell;
    else
      ADD_FAILURE() << cell;
}

TEST(CellNumber, ReadsNoNumberInNamesVersionsDatesAndText) {
  for (const char* cell : {"",
                           "-",
                           "--",
                           "R50",
                           "ResNet-50",
                           "1.13.1",
                           "v1.0",
                           "2021-05-01",
                           "4-bit",
                           "3D",
                           "7x7",
                           "1_000",
                           "N/A",
                           "4 GPUs with NVLink and more",
                           "12th of May in a year",
                           "model",
                           "%",
                           "±",
                           "e5",
                           ".",
                           "3x3 conv",
                           "2nd",
                           "90.1 91.2",
                           "10 -3",
                           "0,913,5",
                           "1st place"})
    EXPECT_FALSE(cell_number(cell)) << cell;
}

TEST(CellNumber, TellsSizesAndTimes) {
  for (const char* cell :
       {"125M", "8 GB", "12 ms", "2x", "1.5B", "3 hours", "30 fps", "4.1 GFLOPs"}) {
    const auto number = cell_number(cell);
    ASSERT_TRUE(number) << cell;
    EXPECT_TRUE(number->sized) << cell;
  }
  for (const char* cell : {"12.5", "12.5%", "36.6 pass@1"})
    EXPECT_FALSE(cell_number(cell)->sized) << cell;
}

TEST(CellNumber, TellsFractions) {
  EXPECT_TRUE(cell_number("1.0")->fraction);
  EXPECT_TRUE(cell_number(".3")->fraction);
  EXPECT_FALSE(cell_number("10")->fraction);
  EXPECT_FALSE(cell_number("10.")->fraction);
}

TEST(CellNumber, EndsOnAnyText) {
  for (const std::string& cell :
       {std::string(10'000, '1'), std::string(10'000, '~'), std::string("1e"), std::string("1e-"),
        std::string("1e99999"), std::string("1,"), std::string("\xe2"), std::string("1\xe2\x88")})
    EXPECT_NO_THROW(cell_number(cell));
  EXPECT_FALSE(cell_number(std::string(10'000, '1')));
}

}  // namespace
}  // namespace tanggul::readers
