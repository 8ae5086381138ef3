#include "app/catalog/command.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <sstream>

#include "adapters/sqlite/session.h"
#include "support/temp_dir.h"

namespace tanggul::app {
namespace {

constexpr WallTime kStart = WallTime(std::chrono::hours(490'000));
const std::string kUrl = "https://github.com/a/b";

class CatalogCommand : public testing::Test {
 protected:
  CatalogCommand()
      : session_(std::move(sqlite::open_session({dir_.file("catalog.db")})).value()),
        catalog_(sync::Catalog::open(*session_).value()) {
    commit(kUrl, "the \x1b[31mred\x07 one");
  }

  void commit(const std::string& url, const std::string& description) {
    sync::Visit visit;
    visit.repository.url = url;
    visit.repository.name = "b";
    visit.repository.description = description;
    visit.commit = std::string(40, 'a');
    visit.release = {"v1"};
    visit.at = kStart;
    readers::Paper paper;
    paper.arxiv = "1706.03762", paper.own = true, paper.score = 0.85, paper.mentions = 3;
    paper.evidence = {{"READ\x1bME.md", 7, readers::EvidenceKind::link, "x", 0}};
    visit.findings.papers = {paper};
    readers::ModelIndexRow row;
    row.model = "100%_model", row.task = "translation", row.dataset = "WMT\x1b]0;x\x07";
    row.metric = "bleu", row.value = {"28.400", 28.4, true};
    visit.findings.model_index = {{"README.md", row}};
    catalog_.commit(visit).value();
  }

  template <class Query>
  int run(int (*command)(sync::Catalog&, const Query&, const Console&), const Query& query) {
    out_.str(""), err_.str("");
    return command(catalog_, query, Console{out_, err_});
  }
  void expect_nothing_speaks_to_the_terminal() {
    for (const char c : out_.str() + err_.str())
      EXPECT_TRUE(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)) << int{c};
  }
  boost::json::value json() { return boost::json::parse(out_.str()); }

  const test::TempDir dir_;
  std::unique_ptr<ports::SqlSession> session_;
  sync::Catalog catalog_;
  std::ostringstream out_, err_;
};

TEST_F(CatalogCommand, APaperIsFoundByEachFormOfItsNumber) {
  for (const char* id : {"1706.03762", "arXiv:1706.03762v5"}) {
    EXPECT_EQ(run(show_paper, {id}), kDone);
    EXPECT_NE(out_.str().find(kUrl), std::string::npos) << out_.str();
    EXPECT_NE(out_.str().find("own"), std::string::npos);
    expect_nothing_speaks_to_the_terminal();
  }
  EXPECT_EQ(run(show_paper, {"1706.03762", true}), kDone);
  EXPECT_TRUE(json().at("title").is_null());
  EXPECT_EQ(json().at("links").at(0).at("url").as_string(), kUrl);
  EXPECT_EQ(json().at("links").at(0).at("evidence").at(0).at("line").as_int64(), 7);
}

TEST_F(CatalogCommand, WhatIsNotThereFailsAndWhatCannotBeIsWrongUsage) {
  EXPECT_EQ(run(show_paper, {"1706.03763"}), kFailed);
  EXPECT_EQ(err_.str(), "error: 1706.03763 is not in the catalog\n");
  EXPECT_EQ(run(show_paper, {"x\x1b"}), kWrongUsage);
  expect_nothing_speaks_to_the_terminal();
  EXPECT_EQ(run(show_repository, {"https://github.com/x/\x1b"}), kFailed);
  expect_nothing_speaks_to_the_terminal();
  EXPECT_EQ(run(search_catalog, {{"nothing like it"}}), kFailed);
  EXPECT_EQ(run(search_catalog, {{""}}), kWrongUsage);
  EXPECT_EQ(run(search_catalog, {{std::string(201, 'x')}}), kWrongUsage);
  EXPECT_EQ(run(export_catalog, {{sync::ExportFormat::csv, "x"}}), kWrongUsage);
}

TEST_F(CatalogCommand, ARepositoryIsFoundAsItIsPasted) {
  for (const char* url : {"https://github.com/a/b", "github.com/a/b/", "https://github.com/a/b.git",
                          "GitHub.com/A/b"}) {
    EXPECT_EQ(run(show_repository, {url}), kDone) << url;
    expect_nothing_speaks_to_the_terminal();
  }
  for (const char* said : {"1706.03762", "28.400", "changed", "v1", "now"})
    EXPECT_NE(out_.str().find(said), std::string::npos) << said << "\n" << out_.str();
}

TEST_F(CatalogCommand, ARepositoryAsJsonHasAllThatIsKnown) {
  catalog_.tombstone({kUrl, "blocked", "a notice", "v1", kStart, {}}).value();
  EXPECT_EQ(run(show_repository, {kUrl, true}), kDone);
  const auto repository = json();
  EXPECT_EQ(repository.at("url").as_string(), kUrl);
  EXPECT_EQ(repository.at("description").as_string(), "the \x1b[31mred\x07 one");
  EXPECT_EQ(repository.at("first_seen").as_string(), "2025-11-24T16:00:00Z");
  EXPECT_EQ(repository.at("tombstone").at("reason").as_string(), "blocked");
  EXPECT_TRUE(repository.at("snapshots").at(0).at("current").as_bool());
  EXPECT_EQ(repository.at("visits").at(1).at("outcome").as_string(), "changed");
  EXPECT_EQ(repository.at("links").at(0).at("paper").as_string(), "1706.03762");
  EXPECT_EQ(repository.at("model_index").at(0).at("value").as_string(), "28.400");
  EXPECT_EQ(repository.at("models").as_array().size(), 0U);
}

TEST_F(CatalogCommand, SearchLooksForAllWordsInAnyCase) {
  catalog_.describe({"1706.03762", "Attention Is All You Need", {}, {}, kStart}).value();
  const auto kinds = [&](std::vector<std::string> words) {
    run(search_catalog, {std::move(words), true});
    std::string out;
    const auto hits = json();
    for (const auto& hit : hits.as_array()) out += std::string(hit.at("kind").as_string()) + " ";
    return out;
  };
  EXPECT_EQ(kinds({"attention", "NEED"}), "paper ");
  EXPECT_EQ(kinds({"attention", "want"}), "");
  EXPECT_EQ(kinds({"1706"}), "paper ");
  EXPECT_EQ(kinds({"RED"}), "repository ");
  EXPECT_EQ(kinds({"wmt"}), "dataset ");
  EXPECT_EQ(kinds({"100%_"}), "model ");
  EXPECT_EQ(kinds({"1%0"}), "");  // no pattern of the caller's
  EXPECT_EQ(kinds({"_"}), "model ");
  EXPECT_EQ(kinds({"\\"}), "");
  EXPECT_EQ(kinds({std::string("\0\xff'", 3)}), "");
  EXPECT_EQ(run(search_catalog, {{"wmt"}}), kDone);
  expect_nothing_speaks_to_the_terminal();
}

TEST_F(CatalogCommand, SearchGivesAHundredOfAKind) {
  for (int i = 0; i < 120; ++i) commit("https://github.com/many/" + std::to_string(i), "");
  run(search_catalog, {{"many"}, true});
  EXPECT_EQ(json().as_array().size(), 100U);
}

TEST_F(CatalogCommand, AnExportedFileIsThereAsAWholeOrNotAtAll) {
  const std::string file = dir_.file("out.csv");
  EXPECT_EQ(run(export_catalog, {{sync::ExportFormat::csv, "aliases"}, file}), kDone);
  EXPECT_EQ(test::read_file(file), "url,repository\r\n");
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(run(export_catalog, {{sync::ExportFormat::csv, "none"}, file}), kWrongUsage);
  EXPECT_EQ(test::read_file(file), "url,repository\r\n");
  EXPECT_EQ(run(export_catalog, {{}, dir_.file("no/such/folder")}), kFailed);
  EXPECT_NE(err_.str().find("No such file"), std::string::npos) << err_.str();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
    files += entry.path().string().find(".part") != std::string::npos ? 1 : 0;
  EXPECT_EQ(files, 0U);
}

}  // namespace
}  // namespace tanggul::app
