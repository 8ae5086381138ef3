#include "sync/catalog/csv.h"

#include <gtest/gtest.h>

#include <vector>

namespace tanggul::sync {
namespace {

std::string line(const std::vector<std::string>& fields) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) append_csv_field(fields[i], i == 0, out);
  return out;
}

TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_EQ(line({"a", "", "b c"}), "a,,b c");
  EXPECT_EQ(line({"a,b", "say \"x\"", "two\r\nlines"}),
            "\"a,b\",\"say \"\"x\"\"\",\"two\r\nlines\"");
  EXPECT_EQ(line({"", ""}), ",");
}

TEST(Csv, WhatASpreadsheetWouldRunIsDataAndStaysAsItIs) {
  EXPECT_EQ(line({"=1+1", "+1.2", "-0.5", "@me"}), "=1+1,+1.2,-0.5,@me");
}

}  // namespace
}  // namespace tanggul::sync
