#include <fmt/format.h>

#include "conformance/catalog_for_test.h"

namespace tanggul::test {
namespace {

using sync::Outcome;

const std::string kUrl = "https://github.com/a/b";

// What is true now: "COMMIT'S FIRST LETTER RELEASE PAPERS".
class CatalogNow : public CatalogTest {
 protected:
  std::string now() {
    return ask(
        "SELECT substr(commit_id, 1, 1) || ' ' || release || ' ' || count(*) FROM current_links "
        "GROUP BY url, commit_id, release ORDER BY url");
  }
  void commit(const std::string& commit, const std::string& release, std::size_t papers,
              Duration after = 0s, const std::string& track = "stable") {
    sync::Visit one = visit("a/b", commit, release, kStart + after);
    one.release.track = track;
    one.findings = findings(papers);
    catalog().commit(one).value();
  }
};
using CatalogWrites = CatalogTest;

TEST_P(CatalogWrites, TheSameJobTwiceChangesNothingButWhenItWasSeen) {
  const auto content = [&] {
    std::string out;
    for (const char* table : {"links", "result_tables", "results", "model_rows", "models"})
      out += ask(fmt::format("SELECT count(*) FROM {}", table)) + " ";
    return out + ask("SELECT id FROM snapshots") + " " +
           ask("SELECT paper || evidence || reasons FROM links ORDER BY place") +
           ask("SELECT next_visit FROM repositories");
  };
  const auto first = catalog().commit(visit("a/b")).value();
  EXPECT_TRUE(first.new_commit && first.new_snapshot);
  const std::string before = content();
  EXPECT_TRUE(before.starts_with("2 1 1 2 2 ")) << before;
  const auto again = catalog().commit(visit("a/b", kCommitA, "v1", kStart + 1s)).value();
  EXPECT_FALSE(again.new_commit || again.new_snapshot);
  EXPECT_EQ(content(), before);
  EXPECT_EQ(ask("SELECT last_seen FROM heads"),
            std::to_string(std::chrono::microseconds(490'000h + 1s).count()));
  EXPECT_EQ(ask("SELECT outcome FROM visits ORDER BY number"), "changed unchanged");
  EXPECT_TRUE(catalog().has(kUrl, kCommitA, "v1").value());
  EXPECT_FALSE(catalog().has(kUrl, kCommitA, "v2").value());
  EXPECT_FALSE(catalog().has(kUrl, kCommitB, "v1").value());
  EXPECT_FALSE(catalog().has("https://github.com/a", kCommitA, "v1").value());
}

TEST_P(CatalogWrites, AJobThatFindsLessTheSecondTimeLeavesNothingOfTheFirst) {
  catalog().commit(visit("a/b")).value();
  sync::Visit less = visit("a/b");
  less.findings = {};
  catalog().commit(less).value();
  for (const char* table : {"links", "result_tables", "results", "model_rows", "models"})
    EXPECT_EQ(ask(fmt::format("SELECT count(*) FROM {}", table)), "0") << table;
  EXPECT_EQ(ask("SELECT files_read FROM snapshots"), "0");
}

TEST_P(CatalogWrites, KeepsTheLatestVisits) {
  for (int i = 0; i < 25; ++i)
    catalog()
        .note({visit("a/b").repository, {"v1"}, kStart + i * 1h, Outcome::failed, "", "x"})
        .value();
  EXPECT_EQ(ask("SELECT count(*) FROM visits"), "20");
  const auto record = catalog().repository(kUrl).value().value();
  EXPECT_EQ(record.visits.front().at, kStart + 24h);
  EXPECT_EQ(record.visits.back().at, kStart + 5h);
}

TEST_P(CatalogWrites, WhatCannotBeKeptIsRefusedOnBothEnginesAlike) {
  const auto code = [&](const sync::Visit& one) { return catalog().commit(one).error().code; };
  sync::Visit one = visit("a/b");
  one.repository.url.assign(2049, 'x');
  EXPECT_EQ(code(one), Errc::bad_input);
  one = visit("a/b", "");
  EXPECT_EQ(code(one), Errc::bad_input);
  one = visit("a/b", kCommitA, std::string(256, 'r'));
  EXPECT_EQ(code(one), Errc::bad_input);
  one = visit("a/b");
  one.findings.papers[0].arxiv.assign(3000, '1');
  EXPECT_EQ(code(one), Errc::bad_input);
  EXPECT_EQ(ask("SELECT count(*) FROM repositories"), "0");
}

TEST_P(CatalogWrites, HostileTextIsKeptAsUtf8) {
  const std::string hostile =
      std::string("a\0b", 3) + "\xff\xc3'\";--\\ $1 %s\r\n\x1b[31m\xed\xa0\x80";
  const std::string kept =
      "a\xef\xbf\xbd"
      "b?"
      "?'\";--\\ $1 %s\r\n\x1b[31m???";
  sync::Visit one = visit("a/b");
  one.repository.description = hostile + std::string(1 << 20, 'x');
  one.findings.papers[0].evidence[0].text = hostile;
  one.findings.papers[0].evidence[0].file = hostile;
  one.findings.result_tables[0].value.table.rows[0][0] = hostile;
  one.findings.result_tables[0].value.results[0].subject = hostile;
  one.findings.model_index[0].value.value.text = hostile;
  one.findings.defects[0].message = hostile;
  catalog().commit(one).value();
  EXPECT_EQ(ask("SELECT description FROM repositories"), kept + std::string(1 << 20, 'x'));
  EXPECT_EQ(ask("SELECT file FROM links WHERE place = 0"), kept);
  EXPECT_EQ(ask("SELECT subject FROM results"), kept);
  EXPECT_EQ(ask("SELECT value FROM model_rows WHERE place = 0"), kept);
  EXPECT_EQ(ask("SELECT cells FROM result_tables"),
            "[[\"a\xef\xbf\xbd"
            R"(b??'\";--\\ $1 %s\u000d\n\u001b[31m???","91.50"],["theirs",""]])");
  catalog().tombstone({kUrl, hostile, hostile, "v1", kStart, {}}).value();
  EXPECT_EQ(catalog().recent_tombstones(1).value()[0].detail, kept);
}

TEST_P(CatalogWrites, AHundredThousandLinksOfOneRepositoryAreKept) {
  sync::Visit one = visit("a/b");
  one.findings = findings(99'999);
  catalog().commit(one).value();
  EXPECT_EQ(ask("SELECT count(*) FROM current_links"), "99999");
  EXPECT_EQ(ask("SELECT count(*) FROM papers"), "99999");
}

TEST_P(CatalogNow, AReleasesRowsStandBesideAnothers) {
  commit(kCommitA, "v1", 2);
  commit(kCommitA, "v2", 3);
  EXPECT_EQ(now(), "a v2 3");
  EXPECT_EQ(ask("SELECT count(*) FROM links"), "5");
  commit(kCommitA, "v1", 2, 1h);  // a straggler
  EXPECT_EQ(now(), "a v2 3");
}

TEST_P(CatalogNow, ACanarysRowsDoNotCountUntilItIsAccepted) {
  commit(kCommitA, "v1", 2);
  commit(kCommitA, "v2", 3, 0s, "canary");
  EXPECT_EQ(now(), "a v1 2");
  commit(kCommitA, "v2", 3, 0s, "stable");  // what it was seen as first is what counts
  EXPECT_EQ(now(), "a v1 2");
  catalog().accept("v2", kStart).value();
  EXPECT_EQ(now(), "a v2 3");
}

TEST_P(CatalogNow, AfterAWithdrawalTheFormerRowsStandAgainRowByRow) {
  const auto rows = [&] {
    std::string out;
    for (const char* view : {"current_links", "current_results", "current_model_rows",
                             "current_models", "current_result_tables"})
      session_
          ->run(fmt::format("SELECT * FROM {} ORDER BY url, place", view), {},
                [&](const ports::SqlRow& row) {
                  for (const ports::SqlValue& value : row)
                    std::visit(
                        [&](const auto& v) {
                          if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
                            out += fmt::format("{}|", v);
                        },
                        value);
                })
          .value();
    return out;
  };
  for (const char* name : {"a/b", "a/c", "x/y"}) catalog().commit(visit(name)).value();
  const std::string before = rows();
  for (const char* name : {"a/b", "x/y"}) {
    sync::Visit one = visit(name, kCommitA, "v2", kStart + 1h);
    one.findings = findings(7);
    catalog().commit(one).value();
  }
  catalog().commit(visit("x/y", kCommitB, "v2", kStart + 2h)).value();
  EXPECT_NE(rows(), before);
  catalog().withdraw("v2", kStart).value();
  EXPECT_EQ(rows(), before);
  catalog().accept("v2", kStart).value();
  EXPECT_NE(rows(), before);
}

TEST_P(CatalogNow, TheHeadThatWasSeenLastCountsIfAnAcceptedReleaseReadIt) {
  commit(kCommitA, "v1", 1);
  commit(kCommitB, "v1", 2, 2h);
  EXPECT_EQ(now(), "b v1 2");
  commit(kCommitA, "v1", 1, 1h);  // an old job that comes late
  EXPECT_EQ(now(), "b v1 2");
  commit(std::string(40, 'c'), "v2", 3, 3h, "canary");
  EXPECT_EQ(now(), "b v1 2");
  commit(kCommitA, "v1", 1, 4h);  // the branch was put back
  EXPECT_EQ(now(), "a v1 1");
}

TEST_P(CatalogNow, TheReleaseThatWasAcceptedLastCounts) {
  commit(kCommitA, "v2", 2);
  commit(kCommitA, "v1", 1, 0s, "canary");
  catalog().accept("v1", kStart).value();
  EXPECT_EQ(now(), "a v1 1");
  catalog().accept("v2", kStart).value();  // it is already: nothing happens
  EXPECT_EQ(now(), "a v1 1");
  catalog().withdraw("v2", kStart).value();
  catalog().accept("v2", kStart).value();
  EXPECT_EQ(now(), "a v2 2");
}

TEST_P(CatalogNow, AReleaseMayBeJudgedBeforeAnybodyHasSeenIt) {
  catalog().withdraw("v2", kStart).value();
  commit(kCommitA, "v2", 2);
  EXPECT_EQ(now(), "");
  catalog().accept("v2", kStart).value();
  EXPECT_EQ(now(), "a v2 2");
}

TEST_P(CatalogWrites, ATombstoneIsLiftedByTheNextCommit) {
  catalog().commit(visit("a/b")).value();
  catalog().tombstone({kUrl, "blocked", "a notice", "v1", kStart + 1h, {}}).value();
  catalog().tombstone({"https://github.com/x/y", "not_found", "", "v2", kStart + 2h, {}}).value();
  auto recent = catalog().recent_tombstones(5).value();
  ASSERT_EQ(recent.size(), 2U);
  EXPECT_EQ(recent[0].url, "https://github.com/x/y");
  EXPECT_EQ(recent[1].reason, "blocked");
  EXPECT_EQ(recent[1].release, "v1");
  EXPECT_FALSE(recent[1].lifted_at);
  EXPECT_EQ(catalog().paper("1706.00001", 9).value().value().links[0].gone, "blocked");
  EXPECT_EQ(catalog().due(kStart + 20 * 24h, 9).value().size(), 0U);
  EXPECT_EQ(catalog().due(kStart + 40 * 24h, 9).value().size(), 2U);
  catalog().commit(visit("a/b", kCommitA, "v1", kStart + 3h)).value();
  recent = catalog().recent_tombstones(5).value();
  ASSERT_EQ(recent.size(), 1U);
  EXPECT_EQ(recent[0].reason, "not_found");
  EXPECT_EQ(catalog().paper("1706.00001", 9).value().value().links[0].gone, "");
}

TEST_P(CatalogWrites, WhatIsDueLongestComesFirst) {
  catalog().commit(visit("a/late", kCommitA, "v1", kStart + 2h)).value();
  catalog().commit(visit("a/early")).value();
  catalog().note({visit("a/gone").repository, {"v1"}, kStart, Outcome::not_found, "", ""}).value();
  EXPECT_TRUE(catalog().due(kStart + 23h, 9).value().empty());
  EXPECT_EQ(catalog().due(kStart + 26h, 9).value(),
            (std::vector<std::string>{"https://github.com/a/early", "https://github.com/a/late"}));
  EXPECT_EQ(catalog().due(kStart + 26h, 1).value().size(), 1U);
}

INSTANTIATE_ON_BOTH_ENGINES(CatalogWrites);
INSTANTIATE_ON_BOTH_ENGINES(CatalogNow);

}  // namespace
}  // namespace tanggul::test
