#include "readers/papers/ledger.h"

#include <gtest/gtest.h>

namespace tanggul::readers {
namespace {

template <class... Signs_>
Mention mention(std::string id, Signs_... signs) {
  Mention mention;
  mention.id.canonical = std::move(id);
  mention.line = 1;
  mention.text = "text";
  mention.signs = (0U | ... | static_cast<Signs>(signs));
  return mention;
}

Paper only_paper(Ledger& ledger) {
  const auto papers = ledger.take_papers();
  EXPECT_EQ(papers.size(), 1U);
  return papers.empty() ? Paper{} : papers[0];
}

// Of one paper among two, with these signs.
template <class... Signs_>
Paper judged(Signs_... signs) {
  Ledger ledger;
  ledger.add("README.md", mention("1706.03762", signs...), true);
  ledger.add("README.md", mention("0704.0001"), true);
  for (Paper& paper : ledger.take_papers())
    if (paper.arxiv == "1706.03762") return paper;
  return {};
}

TEST(Ledger, TakesAPaperThatIsOnlyMentionedForCited) {
  EXPECT_FALSE(judged().own);
  EXPECT_EQ(judged().score, 0);
  EXPECT_TRUE(judged().reasons.empty());
}

TEST(Ledger, TakesEachStrongReasonForEnough) {
  for (const Sign sign : {Sign::declared, Sign::in_title, Sign::labelled_above, Sign::ours,
                          Sign::to_be_cited, Sign::bibtex_to_be_cited})
    EXPECT_TRUE(judged(sign).own) << static_cast<Signs>(sign);
}

TEST(Ledger, TakesAWeakReasonForNone) {
  for (const Sign sign : {Sign::bibtex, Sign::introduced_above, Sign::named_as_title,
                          Sign::first_above, Sign::cited, Sign::in_table, Sign::among_others})
    EXPECT_FALSE(judged(sign).own) << static_cast<Signs>(sign);
}

TEST(Ledger, AddsWeakReasonsUp) {
  EXPECT_TRUE(judged(Sign::bibtex, Sign::named_as_title).own);
  EXPECT_TRUE(judged(Sign::introduced_above, Sign::named_as_title).own);
  EXPECT_EQ(judged(Sign::bibtex, Sign::named_as_title).reasons.size(), 2U);
}

TEST(Ledger, CountsABibtexEntryOnce) {
  EXPECT_DOUBLE_EQ(judged(Sign::bibtex, Sign::bibtex_to_be_cited).score,
                   judged(Sign::bibtex_to_be_cited).score);
}

TEST(Ledger, DoubtsWhatStandsAmongOthers) {
  EXPECT_FALSE(judged(Sign::bibtex, Sign::introduced_above, Sign::among_others).own);
  EXPECT_TRUE(judged(Sign::bibtex, Sign::named_as_title, Sign::among_others).own);
  EXPECT_TRUE(judged(Sign::declared, Sign::among_others).own);
}

TEST(Ledger, BelievesInTheOnlyPaperOfTheIntroduction) {
  Ledger ledger;
  ledger.add("README.md", mention("1706.03762", Sign::first_above, Sign::introduced_above), true);
  EXPECT_TRUE(only_paper(ledger).own);
  EXPECT_FALSE(judged(Sign::first_above, Sign::introduced_above).own) << "there is another";
}

TEST(Ledger, DoubtsInACrowd) {
  Ledger ledger;
  ledger.add("README.md", mention("1706.03762", Sign::ours), true);
  for (int i = 10; i < 40; ++i)
    ledger.add("README.md", mention("1706.000" + std::to_string(i)), true);
  EXPECT_FALSE(ledger.take_papers().front().own);
}

TEST(Ledger, HearsDocumentsThatDoNotSpeakForTheRepositoryOnlyWhereTheyDeclare) {
  Ledger ledger;
  ledger.add("docs/a.md", mention("1706.03762", Sign::ours, Sign::in_title), false);
  EXPECT_FALSE(only_paper(ledger).own);
  ledger.add("CITATION.cff", mention("1706.03762", Sign::declared), false);
  EXPECT_TRUE(only_paper(ledger).own);
}

TEST(Ledger, MergesMentionsAndKeepsTheHighestVersion) {
  Ledger ledger;
  for (const unsigned version : {2U, 5U, 0U}) {
    Mention one = mention("1706.03762");
    one.id.version = version, one.line = 10 + version;
    ledger.add("README.md", one, true);
  }
  const Paper paper = only_paper(ledger);
  EXPECT_EQ(paper.version, 5U);
  EXPECT_EQ(paper.mentions, 3U);
  ASSERT_EQ(paper.evidence.size(), 3U);
  EXPECT_EQ(paper.evidence[0].line, 12U);
  EXPECT_EQ(paper.evidence[0].version, 2U);
  EXPECT_EQ(paper.evidence[0].file, "README.md");
}

TEST(Ledger, SortsByScoreThenById) {
  Ledger ledger;
  for (const char* id : {"1706.00002", "1706.00001", "1706.00003"})
    ledger.add("a", mention(id), true);
  ledger.add("a", mention("1706.00003", Sign::in_title), true);
  std::string order;
  for (const Paper& paper : ledger.take_papers()) order += paper.arxiv + " ";
  EXPECT_EQ(order, "1706.00003 1706.00001 1706.00002 ");
  EXPECT_TRUE(ledger.take_papers().empty()) << "they were taken out";
}

TEST(Ledger, KeepsToItsBounds) {
  Ledger ledger;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ledger.enough("1706.03762"), i >= 64);
    ledger.add("a", mention("1706.03762"), true);
  }
  for (int i = 0; i < 20'010; ++i) ledger.add("a", mention("hep-th/" + std::to_string(i)), true);
  EXPECT_EQ(ledger.left_out(), 11U);
  EXPECT_TRUE(ledger.enough("another"));
  const auto papers = ledger.take_papers();
  EXPECT_EQ(papers.size(), 20'000U);
  for (const Paper& paper : papers) {
    EXPECT_LE(paper.evidence.size(), 16U);
    if (paper.arxiv == "1706.03762") {
      EXPECT_EQ(paper.mentions, 100U);
    }
  }
}

TEST(Ledger, EvidenceGetsShortWhereThereIsMuchAndEndsWhereThereIsVeryMuch) {
  const auto papers_of = [](const std::string& file) {
    Ledger ledger;
    std::string text(158, 'x');
    text += "é";
    for (int i = 1; i <= 20'000; ++i)
      ledger.add(file, {{"2101." + std::to_string(10'000 + i), 0}, 1, EvidenceKind::text, text, 0},
                 true);
    return ledger.take_papers();
  };
  std::size_t shorter = 0, bytes = 0;
  for (const Paper& paper : papers_of("README.md")) {
    ASSERT_EQ(paper.evidence.size(), 1U);
    shorter += paper.evidence[0].text.size() <= 80 ? 1 : 0;
  }
  EXPECT_GT(shorter, 5000U);
  EXPECT_LT(shorter, 15'000U);
  for (const Paper& paper : papers_of(std::string(3000, 'p')))
    for (const Evidence& evidence : paper.evidence) bytes += evidence.file.size();
  EXPECT_GT(bytes, 4U << 20);
  EXPECT_LE(bytes, 8U << 20);
}

}  // namespace
}  // namespace tanggul::readers
