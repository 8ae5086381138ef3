#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "readers/metadata/config_json.h"
#include "readers/metadata/front_matter.h"

namespace tanggul::readers {
namespace {

namespace json = boost::json;

std::filesystem::path cards() {
  const char* folder = std::getenv("TANGGUL_CORPUS");
  return std::filesystem::path(folder != nullptr ? folder : TANGGUL_CORPUS_FOLDER) / "cards";
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string front_matter_of(const std::string& card) {
  constexpr std::string_view kFence = "---\n";
  const auto start = card.find_first_not_of(" \t\r\n");
  if (start == card.npos || card.compare(start, kFence.size(), kFence) != 0) return {};
  const auto end = card.find("\n---", start + kFence.size() - 1);
  return card.substr(start + kFence.size(), end + 1 - start - kFence.size());
}

std::string text(const json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

void compare(const json::object& expected, const ModelIndexRow& row) {
  EXPECT_EQ(row.model, text(expected.at("model")));
  EXPECT_EQ(row.task, text(expected.at("task")));
  EXPECT_EQ(row.dataset, text(expected.at("dataset")));
  EXPECT_EQ(row.dataset_name, text(expected.at("dataset_name")));
  EXPECT_EQ(row.metric, text(expected.at("metric")));
  EXPECT_EQ(row.metric_name, text(expected.at("metric_name")));
  EXPECT_EQ(row.value.number, expected.at("value").to_number<double>());
}

void check_card(const json::object& truth, const std::string& card) {
  const auto read = read_front_matter(front_matter_of(card), 2);
  const auto& index = truth.at("model_index").as_object();
  EXPECT_FALSE(read.error);
  EXPECT_EQ(read.rows.size(), index.at("metrics").to_number<std::size_t>());
  const bool is_bad = index.at("present").as_bool() && !index.at("valid").as_bool();
  EXPECT_EQ(read.defects.empty(), !is_bad);
  const auto* rows = truth.if_contains("model_index_rows");
  if (rows == nullptr || rows->as_array().size() != read.rows.size()) return;
  for (std::size_t i = 0; i < read.rows.size(); ++i) {
    compare(rows->as_array()[i].as_object(), read.rows[i]);
  }
}

void check_config(const json::object& truth, const std::string& config) {
  if (truth.at("lfs_pointer").as_bool()) return;
  const auto read = read_config_json(config);
  ASSERT_TRUE(read.model);
  EXPECT_EQ(read.model->model_type, text(truth.at("model_type")));
  EXPECT_EQ(read.model->transformers_version, text(truth.at("transformers_version")));
  EXPECT_EQ(read.model->vocab_size, truth.at("vocab_size").to_number<std::int64_t>());
  std::vector<std::string> architectures;
  for (const auto& a : truth.at("architectures").as_array()) architectures.push_back(text(a));
  EXPECT_EQ(read.model->architectures, architectures);
}

TEST(Cards, RealOnesReadAsTheirTruthSays) {
  const auto folder = cards();
  std::ifstream lines(folder / "truth.jsonl");
  if (!lines) GTEST_SKIP() << "no corpus in " << folder << "; TANGGUL_CORPUS names another folder";
  std::size_t read = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto truth = json::parse(line).as_object();
    const auto file = text(truth.at("file"));
    SCOPED_TRACE(file);
    if (text(truth.at("kind")) == "card") check_card(truth, bytes_of(folder / file));
    if (text(truth.at("kind")) == "config") check_config(truth, bytes_of(folder / file));
    ++read;
  }
  EXPECT_GT(read, 0U);
}

}  // namespace
}  // namespace tanggul::readers
