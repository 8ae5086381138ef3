#include "sync/catalog/export.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <map>
#include <sstream>

#include "conformance/catalog_for_test.h"

namespace tanggul::test {
namespace {

using sync::ExportFormat;

class CatalogExport : public CatalogTest {
 protected:
  static std::string exported(sync::Catalog& catalog, const sync::ExportOptions& options = {}) {
    std::ostringstream out;
    sync::export_catalog(catalog, options, out).value();
    return out.str();
  }
  std::string exported(const sync::ExportOptions& options = {}) {
    return exported(catalog(), options);
  }
  boost::json::value json(const sync::ExportOptions& options) {
    return boost::json::parse(exported(options));
  }
};

// Everything that tells two catalogs apart but what they say: order, times, ids, what is withdrawn.
void fill(sync::Catalog& catalog, std::vector<std::string> names, Duration after) {
  for (const std::string& name : names) {
    sync::Visit one = visit(name, kCommitA, "v1", kStart + after);
    one.repository.forge_id = static_cast<std::int64_t>(std::hash<std::string>()(name) >> 1);
    one.repository.description = "\xc3\xa4, \"quoted\"\r\n" + std::string("\0=1+1", 5);
    catalog.commit(one).value();
    after += 1s;
  }
  const std::string least = *std::min_element(names.begin(), names.end());
  catalog.renamed("https://github.com/a/former", visit(least).repository, kStart).value();
  catalog
      .describe(
          {"1706.00001", "Title, \"with\" marks", {"A. One", "B. Two"}, kStart, kStart + after})
      .value();
}

TEST_P(CatalogExport, CatalogsThatSayTheSameAreTheSameBytesOnEachEngine) {
  fill(catalog(), {"a/B", "a/a", "z/z", "a/\xc3\xa4", "a/_"}, 0s);
  const auto other_engine = sqlite_engine();
  const auto other_session = open_session(other_engine->address());
  auto other = sync::Catalog::open(*other_session).value();
  other.commit(visit("b/withdrawn", kCommitB, "v0")).value();
  other.withdraw("v0", kStart).value();
  other.renamed("https://github.com/b/withdrawn", visit("z/z").repository, kStart).value();
  fill(other, {"a/_", "a/\xc3\xa4", "z/z", "a/a", "a/B"}, 100h);
  other_session->run("DELETE FROM aliases WHERE url LIKE '%withdrawn'", {}).value();
  for (const auto& options :
       {sync::ExportOptions{}, sync::ExportOptions{ExportFormat::csv, "links"},
        sync::ExportOptions{ExportFormat::csv, "repositories"},
        sync::ExportOptions{ExportFormat::pwc, "links"},
        sync::ExportOptions{ExportFormat::pwc, "results"}}) {
    const std::string bytes = exported(options);
    EXPECT_GT(bytes.size(), 300U);
    EXPECT_EQ(bytes, exported(other, options)) << options.table;
  }
  EXPECT_NE(exported({ExportFormat::csv, "repositories", true}),
            exported(other, {ExportFormat::csv, "repositories", true}));
}

TEST_P(CatalogExport, EachLineIsAnObjectThatNamesItsKind) {
  fill(catalog(), {"a/b", "a/c"}, 0s);
  std::istringstream lines(exported());
  std::map<std::string, int> kinds;
  for (std::string line; std::getline(lines, line);)
    ++kinds[std::string(boost::json::parse(line).at("kind").as_string())];
  EXPECT_EQ(kinds, (std::map<std::string, int>{{"repositories", 2},
                                               {"aliases", 1},
                                               {"papers", 2},
                                               {"links", 4},
                                               {"result_tables", 2},
                                               {"results", 2},
                                               {"model_index", 4},
                                               {"models", 4}}));
}

TEST_P(CatalogExport, ALinkSaysWhatWasFound) {
  catalog().commit(visit("a/b")).value();
  const std::string links = exported({ExportFormat::csv, "links"});
  EXPECT_TRUE(links.starts_with(
      "repository,paper,version,own,score,mentions,reasons,evidence,commit,release\r\n"
      "https://github.com/a/b,1706.00001,1,true,0.85,2,\"[\"\"the title links it\"\"]\","
      "\"[{\"\"file\"\":\"\"README.md\"\",\"\"line\"\":7,\"\"kind\"\":\"\"link\"\","))
      << links;
  EXPECT_TRUE(links.ends_with("," + kCommitA + ",v1\r\n")) << links;
  const auto row = json({ExportFormat::json_lines, "results"});
  EXPECT_EQ(row.at("value").as_string(), "91.50");
  EXPECT_EQ(row.at("number").as_double(), 91.5);
  EXPECT_EQ(row.at("measured").as_bool(), true);
}

TEST_P(CatalogExport, LinksInPapersWithCodesShape) {
  fill(catalog(), {"a/b", "a/c"}, 0s);
  catalog().tombstone({"https://github.com/a/c", "blocked", "", "", kStart, {}}).value();
  const auto links = json({ExportFormat::pwc, ""});
  ASSERT_EQ(links.as_array().size(), 2U);
  EXPECT_EQ(links.at(0), boost::json::parse(R"({"paper_url": "https://arxiv.org/abs/1706.00001",
      "paper_title": "Title, \"with\" marks", "paper_arxiv_id": "1706.00001",
      "paper_url_abs": "https://arxiv.org/abs/1706.00001",
      "paper_url_pdf": "https://arxiv.org/pdf/1706.00001",
      "repo_url": "https://github.com/a/b", "is_official": true, "mentioned_in_paper": null,
      "mentioned_in_github": true, "framework": "none"})"));
  EXPECT_TRUE(links.at(1).at("paper_title").is_null());
  EXPECT_FALSE(links.at(1).at("is_official").as_bool());
}

TEST_P(CatalogExport, EvaluationTablesInPapersWithCodesShape) {
  fill(catalog(), {"a/b", "a/c"}, 0s);
  const auto tasks = json({ExportFormat::pwc, "results"});
  ASSERT_EQ(tasks.as_array().size(), 2U);
  EXPECT_EQ(tasks.at(0).at("task").as_string(), "parsing");
  EXPECT_EQ(tasks.at(1).at("task").as_string(), "translation");
  const auto& dataset = tasks.at(1).at("datasets").at(0);
  EXPECT_EQ(dataset.at("dataset").as_string(), "WMT 14");
  const auto& sota = dataset.at("sota");
  EXPECT_EQ(sota.at("metrics"), boost::json::parse(R"(["bleu", "ter"])"));
  ASSERT_EQ(sota.at("rows").as_array().size(), 2U);
  const auto& row = sota.at("rows").at(1);
  EXPECT_EQ(row.at("model_name").as_string(), "some-model");
  EXPECT_EQ(row.at("metrics"), boost::json::parse(R"({"bleu": "28.400", "ter": "XX.XX"})"));
  EXPECT_EQ(row.at("paper_url").as_string(), "https://arxiv.org/abs/1706.00001");
  EXPECT_EQ(row.at("paper_date").as_string(), "2025-11-24");
  EXPECT_EQ(row.at("code_links").at(0).at("url").as_string(), "https://github.com/a/c");
}

TEST_P(CatalogExport, AnEmptyCatalogIsAValidFileToo) {
  EXPECT_EQ(exported(), "");
  EXPECT_EQ(exported({ExportFormat::csv, "aliases"}), "url,repository\r\n");
  EXPECT_EQ(exported({ExportFormat::pwc, "links"}), "[]\n");
  EXPECT_EQ(exported({ExportFormat::pwc, "results"}), "[]\n");
}

TEST_P(CatalogExport, ATableThatIsNotThereIsNamed) {
  std::ostringstream out;
  EXPECT_EQ(sync::export_catalog(catalog(), {ExportFormat::csv, "x"}, out).error().detail,
            "there is no table \"x\"; there are repositories, aliases, papers, links, "
            "result_tables, results, model_index, models");
  EXPECT_EQ(sync::export_catalog(catalog(), {ExportFormat::pwc, "models"}, out).error().code,
            Errc::bad_input);
}

TEST_P(CatalogExport, WhatTakesNoMoreIsAFailure) {
  catalog().commit(visit("a/b")).value();
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(sync::export_catalog(catalog(), {}, out).error().code, Errc::io);
}

INSTANTIATE_ON_BOTH_ENGINES(CatalogExport);

}  // namespace
}  // namespace tanggul::test
