#include "shield/steps.h"

#include <gtest/gtest.h>

#include <fstream>

namespace tanggul::shield {

TEST(Steps, AreToldInTheLifeOfARequestInTheirOrder) {
  std::ifstream page(TANGGUL_SOURCE_DIR "/docs/life_of_a_request.md");
  ASSERT_TRUE(page);
  std::vector<std::string> told;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("## ")) told.push_back(line.substr(3));
  EXPECT_EQ(told, std::vector<std::string>(kStepNames.begin(), kStepNames.end()));
}

TEST(Steps, ATraceIsOneLineInTheirOrder) {
  Trace trace;
  trace.note(Step::origin, "503");
  trace.note(Step::lookup, "miss");
  trace.note(Step::origin, "200");
  std::string line;
  trace.append_to(line);
  EXPECT_EQ(line, "lookup=miss origin=503,200");
}

}  // namespace tanggul::shield
