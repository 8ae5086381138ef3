#include "sync/read/imports.h"

#include <gtest/gtest.h>

#include <string>

namespace tanggul::sync {
namespace {

TEST(PathPattern, AStarIsAnyPartOfOneName) {
  EXPECT_TRUE(PathPattern("models/*.yml").matches("models/a.yml"));
  EXPECT_TRUE(PathPattern("models/*.yml").matches("models/a.b.yml"));
  EXPECT_FALSE(PathPattern("models/*.yml").matches("models/deep/a.yml"));
  EXPECT_FALSE(PathPattern("models/*.yml").matches("models/a.yaml"));
  EXPECT_FALSE(PathPattern("models/*.yml").matches("a.yml"));
  EXPECT_TRUE(PathPattern("*/metafile.yml").matches("resnet/metafile.yml"));
  EXPECT_TRUE(PathPattern("*/*").matches("a/b"));
  EXPECT_FALSE(PathPattern("*/*").matches("a/b/c"));
}

TEST(PathPattern, PiecesFollowEachOtherAndDoNotOverlap) {
  EXPECT_TRUE(PathPattern("a*b*c").matches("abc"));
  EXPECT_TRUE(PathPattern("a*b*c").matches("aXbbYc"));
  EXPECT_FALSE(PathPattern("a*b*c").matches("acb"));
  EXPECT_FALSE(PathPattern("ab*ba").matches("aba"));
  EXPECT_TRUE(PathPattern("**").matches("x"));
  EXPECT_TRUE(PathPattern("a**b").matches("ab"));
}

TEST(PathPattern, OtherMarksStandForThemselves) {
  EXPECT_TRUE(PathPattern("models[v2]/*.yml").matches("models[v2]/a.yml"));
  EXPECT_FALSE(PathPattern("models[v2]/*.yml").matches("modelsv/a.yml"));
  EXPECT_FALSE(PathPattern("?*").matches("ab"));
}

TEST(PathPattern, HiddenNamesAreNotMeant) {
  EXPECT_FALSE(PathPattern("*.yml").matches(".a.yml"));
  EXPECT_TRUE(PathPattern(".*.yml").matches(".a.yml"));
}

TEST(Imports, EachIsTakenOnceAndWhatIsMissingIsTold) {
  Imports imports;
  for (const char* name : {"a.yml", "a.yml", "b.yml", "m/*.yml", "none/*.yml"}) imports.want(name);
  EXPECT_TRUE(imports.take("a.yml"));
  EXPECT_FALSE(imports.take("a.yml"));
  EXPECT_TRUE(imports.take("m/c.yml"));
  EXPECT_FALSE(imports.take("m/c.py"));
  EXPECT_EQ(imports.take_missing(), (std::vector<std::string>{"b.yml", "none/*.yml"}));
  EXPECT_FALSE(imports.wants_any());
  imports.want("b.yml");  // in a later round: it was looked for
  EXPECT_FALSE(imports.wants_any());
  EXPECT_FALSE(imports.left_out());
}

TEST(Imports, KeepToTheirBounds) {
  Imports patterns, names, matches, lengths;
  for (int i = 0; i < 17; ++i) {
    EXPECT_FALSE(patterns.left_out());
    patterns.want(std::to_string(i) + "/*.yml");
    patterns.want("0/*.yml");  // known: uses nothing up
  }
  EXPECT_TRUE(patterns.left_out());
  EXPECT_TRUE(patterns.take("15/a.yml"));
  EXPECT_FALSE(patterns.take("16/a.yml"));

  for (int i = 0; i < 201; ++i) names.want(std::to_string(i));
  EXPECT_TRUE(names.left_out());
  EXPECT_TRUE(names.take("199"));
  EXPECT_FALSE(names.take("200"));

  matches.want("*.yml");
  int taken = 0;
  for (int i = 0; i < 300; ++i) taken += matches.take(std::to_string(i) + ".yml") ? 1 : 0;
  EXPECT_EQ(taken, 200);
  EXPECT_TRUE(matches.left_out());

  lengths.want(std::string(1025, 'x'));
  EXPECT_FALSE(lengths.wants_any());
  EXPECT_TRUE(lengths.left_out());
}

}  // namespace
}  // namespace tanggul::sync
