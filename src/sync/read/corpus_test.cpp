#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>
#include <sstream>

#include "support/corpus.h"
#include "support/fake_source_tree.h"
#include "sync/read/read.h"

namespace tanggul::sync {
namespace {

namespace json = boost::json;
using Ids = std::set<std::string>;

struct Judged {
  std::string file;
  json::object truth;
  Findings found;
};

Findings read_alone(const std::filesystem::path& file) {
  test::FakeSourceTree tree;
  tree.files[file.filename().string()] = test::bytes_of(file);
  auto found = read_tree(
      tree, {*find_pool(default_pools(), "repo_clone"), {2026, 11}, file.filename().string()});
  return found ? *found : Findings{};
}

// Every document of the corpus, with what people have judged.
std::vector<Judged> documents() {
  std::vector<Judged> all;
  const auto corpus = test::corpus(TANGGUL_CORPUS_FOLDER);
  if (corpus.empty()) return all;
  for (const char* folder : {"readmes", "cards"}) {
    std::istringstream lines(test::bytes_of(corpus / folder / "truth.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      json::object truth = json::parse(line).as_object();
      const std::string file(truth.at("file").as_string());
      all.push_back({file, std::move(truth), read_alone(corpus / folder / file)});
    }
  }
  return all;
}

class Corpus : public testing::Test {
 protected:
  static const std::vector<Judged>& all() {
    static const std::vector<Judged> judged = documents();
    return judged;
  }
  void SetUp() override {
    if (all().empty()) GTEST_SKIP() << "the corpus of real documents is not here (TANGGUL_CORPUS)";
  }
};

Ids ids(const json::object& truth, const char* key) {
  Ids out;
  if (const auto* list = truth.if_contains(key); list != nullptr && list->is_array())
    for (const auto& id : list->as_array()) out.emplace(id.as_string());
  return out;
}

Ids without(const Ids& all, const Ids& those) {
  Ids out;
  std::set_difference(all.begin(), all.end(), those.begin(), those.end(),
                      std::inserter(out, out.end()));
  return out;
}

TEST_F(Corpus, EveryIdentifierIsFoundAndNothingElse) {
  for (const Judged& judged : all()) {
    Ids found;
    for (const auto& paper : judged.found.papers) found.insert(paper.arxiv);
    const Ids hidden = without(ids(judged.truth, "hidden"), ids(judged.truth, "arxiv"));
    EXPECT_EQ(without(found, hidden), ids(judged.truth, "arxiv")) << judged.file;
    for (const auto& paper : judged.found.papers)
      for (const auto& evidence : paper.evidence) EXPECT_GT(evidence.line, 0U) << judged.file;
  }
}

TEST_F(Corpus, OwnPapersAreToldFromCitedOnes) {
  std::size_t right = 0, decidable = 0;
  for (const Judged& judged : all()) {
    const auto* ambiguous = judged.truth.if_contains("own_ambiguous");
    if (!judged.truth.contains("own_paper") || (ambiguous != nullptr && ambiguous->as_bool()))
      continue;
    Ids own;
    for (const auto& paper : judged.found.papers)
      if (paper.own) own.insert(paper.arxiv);
    ++decidable;
    const Ids either = ids(judged.truth, "own_optional");
    const bool same = without(own, either) == without(ids(judged.truth, "own_paper"), either);
    right += same ? 1 : 0;
    if (!same) RecordProperty(judged.file, "differs");
  }
  EXPECT_GE(static_cast<double>(right), 0.95 * static_cast<double>(decidable))
      << right << " of " << decidable;
}

TEST_F(Corpus, TablesOfResultsAreFoundAndNoOthers) {
  for (const Judged& judged : all()) {
    if (!judged.truth.contains("tables")) continue;
    std::int64_t gfm = 0;
    for (const auto& table : judged.found.result_tables) gfm += table.value.table.html ? 0 : 1;
    const auto least = judged.truth.at("tables").to_number<std::int64_t>();
    const auto* more = judged.truth.if_contains("tables_ambiguous");
    EXPECT_GE(gfm, least) << judged.file;
    EXPECT_LE(gfm, least + (more != nullptr ? more->to_number<std::int64_t>() : 0)) << judged.file;
  }
}

// Spot checks of what stands in cells: each number by its row and column.
TEST_F(Corpus, ValuesAreWhatTheCellsSay) {
  const auto value = [](std::string_view file, std::string_view subject, std::string_view column,
                        std::string_view metric = {}) -> double {
    for (const Judged& judged : all()) {
      if (judged.file != file) continue;
      for (const auto& table : judged.found.result_tables)
        for (const auto& result : table.value.results)
          if (result.subject == subject && table.value.table.columns[result.column] == column &&
              (metric.empty() || result.metric == metric))
            return result.value;
    }
    return -1;
  };
  EXPECT_EQ(value("kuangliu__pytorch-cifar.md", "DPN92", "Acc."), 95.16);
  EXPECT_EQ(value("princeton-nlp__SimCSE.md", "princeton-nlp/sup-simcse-roberta-large", "Avg. STS"),
            83.76);
  EXPECT_EQ(value("google-research__electra.md", "ELECTRA-Base", "QQP"), 91.5);
  EXPECT_EQ(value("rinnakk__japanese-clip.md", "multilingual-CLIP", "TOP5*"), 27.28);
  EXPECT_EQ(value("pfnet-research__chainer-gan-lib.md", "WGAN-GP", "Inception (Official)"), 7.86);
  EXPECT_EQ(value("microsoft__LoRA.md", "RoBERTa base LoRA", "RoBERTa base LoRA", "m-Acc/mm-Acc"),
            87.5);
  EXPECT_EQ(value("facebookresearch__detr.md", "DETR-DC5", "box AP"), 43.3);
  EXPECT_EQ(value("WizardLMTeam__WizardCoder-15B-V1.0.md", "WizardLM-13B-V1.2", "AlpacaEval"),
            89.17);
  EXPECT_EQ(value("CompVis__latent-diffusion.md", "LDM-VQ-4 (200 DDIM steps, eta=0)", "FID"), 5.11);
}

TEST_F(Corpus, RowsOfModelIndexesAreExact) {
  for (const Judged& judged : all()) {
    const auto* rows = judged.truth.if_contains("model_index_rows");
    if (rows == nullptr) continue;
    ASSERT_EQ(judged.found.model_index.size(), rows->as_array().size()) << judged.file;
    for (std::size_t i = 0; i < rows->as_array().size(); ++i) {
      const json::object& truth = rows->as_array()[i].as_object();
      const readers::ModelIndexRow& row = judged.found.model_index[i].value;
      EXPECT_EQ(row.model, truth.at("model").as_string());
      EXPECT_EQ(row.task, truth.at("task").as_string());
      EXPECT_EQ(row.dataset, truth.at("dataset").as_string());
      EXPECT_EQ(row.metric, truth.at("metric").as_string());
      EXPECT_EQ(row.value.number, truth.at("value").to_number<double>());
    }
  }
}

TEST_F(Corpus, ConfigurationsOfModelsAreRead) {
  for (const Judged& judged : all()) {
    if (!judged.truth.contains("vocab_size")) continue;
    ASSERT_TRUE(judged.found.model) << judged.file;
    const readers::Model& model = judged.found.model->value;
    EXPECT_EQ(model.model_type, judged.truth.at("model_type").as_string());
    EXPECT_EQ(model.vocab_size, judged.truth.at("vocab_size").to_number<std::int64_t>());
    EXPECT_EQ(model.architectures.at(0), judged.truth.at("architectures").at(0).as_string());
  }
}

TEST_F(Corpus, NoStageGivesUp) {
  for (const Judged& judged : all()) {
    EXPECT_TRUE(judged.found.errors.empty())
        << judged.file << ": " << judged.found.errors[0].message;
    EXPECT_TRUE(judged.found.skipped.empty()) << judged.file;
  }
}

}  // namespace
}  // namespace tanggul::sync
