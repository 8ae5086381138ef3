#include "app/sync/findings_json.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <sstream>

namespace tanggul::app {
namespace {

TEST(FindingsJson, KeepsTheDigitsOfAValueAndTheBytesOfAName) {
  sync::Findings findings;
  readers::ModelIndexRow row;
  row.model = "a \"model\"\n\xff";
  row.value = {"0.57300", 0.573, true};
  findings.model_index.push_back({"README.md", row});
  row.value = {"95.3%", 95.3, false};
  findings.model_index.push_back({"README.md", row});
  std::ostringstream out;
  put_findings_json({"x", "git", std::nullopt, ""},
                    *sync::find_pool(sync::default_pools(), "repo_clone"), findings, out);
  const std::string text = out.str();
  EXPECT_NE(text.find("\"value\":0.57300,"), std::string::npos) << text;
  const auto json = boost::json::parse(text);
  EXPECT_EQ(json.at("model_index").at(0).at("model").as_string(), "a \"model\"\n?");
  EXPECT_EQ(json.at("model_index").at(1).at("value").as_string(), "95.3%");
  EXPECT_EQ(json.at("model_index").at(1).at("number").as_double(), 95.3);
  EXPECT_EQ(json.at("source").at("state").as_string(), "empty");
  EXPECT_TRUE(json.at("model").is_null());
}

TEST(FindingsJson, EveryRowHasACellForEachColumn) {
  sync::Findings findings;
  readers::ResultTable table;
  table.table.columns = {"Model", "Acc", "F1"};
  table.table.rows = {{"a", "91.5"}, {"b", "92", "0.5"}};
  findings.result_tables.push_back({"README.md", table});
  std::ostringstream out;
  put_findings_json({"x", "file", {}, {}}, *sync::find_pool(sync::default_pools(), "repo_clone"),
                    findings, out);
  const auto json = boost::json::parse(out.str());
  const auto& rows = json.at("result_tables").at(0).at("rows");
  EXPECT_EQ(rows, boost::json::parse(R"([["a", "91.5", ""], ["b", "92", "0.5"]])"));
}

}  // namespace
}  // namespace tanggul::app
