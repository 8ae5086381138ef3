#include "cache/purges.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>
#include <fstream>

#include "cache/tags.h"

namespace tanggul::cache {
namespace {

using Rule = Purges::Rule;
namespace fs = std::filesystem;

class PurgesTest : public testing::Test {
 protected:
  PurgesTest() { fs::create_directories(directory); }
  ~PurgesTest() override { fs::remove_all(directory); }

  static Entry made_in(Generation generation, std::vector<std::string> tags = {}) {
    Entry e;
    e.generation = generation;
    for (const auto& t : tags) e.tags.push_back(tag_hash(t));
    return e;
  }

  const fs::path directory = fs::temp_directory_path() / ("purges-" + std::to_string(::getpid()));
  const std::string journal = directory / "purges";
};

TEST_F(PurgesTest, CoverWhatCameBeforeThemAndNothingAfter) {
  Purges purges;
  const Entry before = made_in(purges.now());
  EXPECT_FALSE(purges.outdated("o\x1f/a", before));
  purges.add(Rule::origin, "o");
  EXPECT_TRUE(purges.outdated("o\x1f/a", before));
  EXPECT_FALSE(purges.outdated("other\x1f/a", before));
  EXPECT_FALSE(purges.outdated("o\x1f/a", made_in(purges.now())));
}

TEST_F(PurgesTest, ATargetIsItselfItsVariantsAndItsFailureButNoLongerPath) {
  Purges purges;
  const Entry before = made_in(purges.now());
  purges.add(Rule::target, "o\x1f/a");
  for (const char* own : {"o\x1f/a", "o\x1f/a\x1eGzip",
                          "o\x1f/a\x1d"
                          "failure",
                          "o\x1f/a\x1f"
                          "12"})
    EXPECT_TRUE(purges.outdated(own, before)) << own;
  for (const char* other : {"o\x1f/ab", "o\x1f/a/b", "o\x1f/a?x", "o\x1f/"})
    EXPECT_FALSE(purges.outdated(other, before)) << other;
}

TEST_F(PurgesTest, DocumentsOfAPrefixLeaveItsOtherBodies) {
  Purges purges;
  Entry document = made_in(purges.now());
  document.forms.resize(2);
  Entry tarball = made_in(purges.now());
  tarball.forms.resize(1);
  purges.add(Rule::documents, "npm\x1f/a");
  EXPECT_TRUE(purges.outdated("npm\x1f/a", document));
  EXPECT_FALSE(purges.outdated("npm\x1f/a/-/a-1.tgz", tarball));
}

TEST_F(PurgesTest, TagsAreComparedWithoutCase) {
  Purges purges;
  const Entry before = made_in(purges.now(), {"Red", "blue"});
  purges.add(Rule::tag, " rED ");
  EXPECT_TRUE(purges.outdated("o\x1f/a", before));
  EXPECT_FALSE(purges.outdated("o\x1f/b", made_in(purges.now() - 1, {"green"})));
}

TEST_F(PurgesTest, AnEntryThatWasLookedAtIsOutdatedByTheNextPurgeAllTheSame) {
  Purges purges;
  const Entry e = made_in(purges.now());
  EXPECT_FALSE(purges.outdated("o\x1f/a", e));
  purges.add(Rule::origin, "other");
  EXPECT_FALSE(purges.outdated("o\x1f/a", e));
  purges.add(Rule::origin, "o");
  EXPECT_TRUE(purges.outdated("o\x1f/a", e));
}

TEST_F(PurgesTest, AreFoundAgainAfterARestart) {
  Generation stored = 0;
  {
    Purges purges(journal);
    stored = purges.now();
    ASSERT_TRUE(purges.add(Rule::origin, "o"));
    ASSERT_TRUE(purges.add(Rule::tag, "t"));
  }
  const Purges again(journal);
  EXPECT_TRUE(again.outdated("o\x1f/a", made_in(stored)));
  EXPECT_TRUE(again.outdated("x\x1f/a", made_in(stored, {"t"})));
  EXPECT_FALSE(again.outdated("x\x1f/a", made_in(stored)));
  EXPECT_FALSE(again.outdated("o\x1f/a", made_in(again.now())));
}

TEST_F(PurgesTest, ACutJournalKeepsWhatIsWholeAndGoesOn) {
  Generation stored = 0;
  {
    Purges purges(journal);
    stored = purges.now();
    purges.add(Rule::origin, "first");
    purges.add(Rule::origin, "second");
  }
  fs::resize_file(journal, fs::file_size(journal) - 3);
  {
    Purges purges(journal);
    EXPECT_TRUE(purges.outdated("first\x1f/a", made_in(stored)));
    EXPECT_FALSE(purges.outdated("second\x1f/a", made_in(stored)));
    ASSERT_TRUE(purges.add(Rule::origin, "third"));
  }
  const Purges again(journal);
  EXPECT_TRUE(again.outdated("first\x1f/a", made_in(stored)));
  EXPECT_TRUE(again.outdated("third\x1f/a", made_in(stored)));
}

// Whatever was purged must not come back because nobody remembers it.
TEST_F(PurgesTest, ALostJournalOutdatesAllThatWasStoredBefore) {
  Generation stored = 0;
  {
    Purges purges(journal);
    purges.add(Rule::origin, "o");
    stored = purges.now();
  }
  std::ofstream(journal, std::ios::trunc) << "not a journal";
  const Purges again(journal);
  EXPECT_TRUE(again.outdated("o\x1f/a", made_in(stored)));
  EXPECT_FALSE(again.outdated("o\x1f/a", made_in(again.now())));
  EXPECT_TRUE(again.outdated("o\x1f/a", made_in(again.now() + 1)));
}

TEST_F(PurgesTest, AJournalThatCannotBeWrittenSaysSoAndThePurgeHolds) {
  Purges purges((directory / "missing" / "purges").string());
  const Entry before = made_in(purges.now());
  EXPECT_FALSE(purges.add(Rule::origin, "o"));
  EXPECT_TRUE(purges.outdated("o\x1f/a", before));
}

TEST_F(PurgesTest, OfTooManyTheOlderHalfBecomesTheirOrigins) {
  Purges purges;
  const Entry before = made_in(purges.now());
  for (std::size_t i = 0; i <= Purges::kMost; ++i)
    purges.add(Rule::target, "o\x1f/" + std::to_string(i));
  EXPECT_TRUE(purges.outdated("o\x1f/0", before));
  EXPECT_TRUE(purges.outdated("o\x1f/" + std::to_string(Purges::kMost), before));
  EXPECT_TRUE(purges.outdated("o\x1f/never-named", before));  // too much, never too little
  EXPECT_FALSE(purges.outdated("p\x1f/0", before));
}

TEST_F(PurgesTest, OfTooManyDocumentsAllOfTheirOriginGoButNoArtifact) {
  Purges purges;
  Entry document = made_in(purges.now()), tarball = made_in(purges.now());
  document.forms.resize(2);
  tarball.forms.resize(1);
  for (std::size_t i = 0; i <= Purges::kMost; ++i)
    purges.add(Rule::documents, "npm\x1f/" + std::to_string(i));
  EXPECT_TRUE(purges.outdated("npm\x1f/never-named", document));
  EXPECT_FALSE(purges.outdated("npm\x1f/never-named", tarball));
}

TEST_F(PurgesTest, OfTooManyTagsTheOlderHalfBecomesWhateverIsTagged) {
  Purges purges;
  const Entry before = made_in(purges.now(), {"other"}), untagged = made_in(purges.now());
  for (std::size_t i = 0; i <= Purges::kMost; ++i) purges.add(Rule::tag, std::to_string(i));
  EXPECT_TRUE(purges.outdated("o\x1f/a", before));
  EXPECT_FALSE(purges.outdated("o\x1f/a", untagged));
  EXPECT_FALSE(purges.outdated("o\x1f/a", made_in(purges.now(), {"other"})));
}

TEST_F(PurgesTest, TheSameOneOverAndOverIsOneRuleAndTheJournalStaysShort) {
  const Generation stored = [&] {
    Purges purges(journal);
    const Generation first = purges.now();
    for (int i = 0; i < 120'000; ++i) purges.add(Rule::target, "o\x1f/a");
    EXPECT_FALSE(purges.outdated("o\x1f/b", made_in(first)));  // nothing was folded
    EXPECT_LT(fs::file_size(journal), 3'000'000U);
    EXPECT_TRUE(purges.add(Rule::tag, "t"));
    EXPECT_TRUE(purges.sync());
    return first;
  }();
  const Purges again(journal);
  EXPECT_EQ(again.now(), stored + 120'001);
  EXPECT_TRUE(again.outdated("o\x1f/a", made_in(stored)));
  EXPECT_TRUE(again.outdated("o\x1f/b", made_in(stored, {"T"})));
  EXPECT_FALSE(again.outdated("o\x1f/b", made_in(stored)));
}

TEST(Tags, AreReadAsTheCdnsWriteThem) {
  http::Headers h;
  h.add("Cache-Tag", "a b, c ,,");
  h.add("cache-tag", "d");
  h.add("Surrogate-Key", "e  f\tc");
  h.add("xkey", "g");
  std::vector<std::uint64_t> want;
  for (const char* t : {"a b", "c", "d", "e", "f", "g"}) want.push_back(tag_hash(t));
  std::sort(want.begin(), want.end());
  EXPECT_EQ(tags_of(h), want);
  EXPECT_TRUE(tags_of({}).empty());
}

}  // namespace
}  // namespace tanggul::cache
