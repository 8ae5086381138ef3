#include "readers/metadata/pwc_model_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tanggul::readers {
namespace {

using Lines = std::vector<std::string>;

Lines rows(const Metadata& metadata) {
  Lines out;
  for (const auto& r : metadata.rows) {
    out.push_back(
        fmt::format("{}|{}|{}|{}|{}", r.model, r.task, r.dataset, r.metric, r.value.text));
  }
  return out;
}

Lines references(const Metadata& metadata) {
  Lines out;
  for (const auto& r : metadata.references) {
    EXPECT_EQ(r.role, Reference::Role::unsaid);
    out.push_back(fmt::format("{} {} [{}]", r.field, r.text, r.title));
  }
  return out;
}

TEST(PwcModelIndex, ReadsModelsCollectionsAndImports) {
  const auto read = read_pwc_model_index(R"(Import:
- configs/a/metafile.yml
- configs/b/metafile.yml
Collections:
- Name: ResNet
  Paper: {URL: https://arxiv.org/abs/1512.03385, Title: Deep Residual Learning}
  README: configs/resnet/README.md
Models:
- Name: resnet50
  In Collection: ResNet
  Metadata: {FLOPs: 1, Training Techniques: [SGD]}
  Results:
  - Task: Image Classification
    Dataset: ImageNet-1k
    Metrics:
      Top 1 Accuracy: 76.55
      Top 5 Accuracy: 93.06%
  - {Task: Retrieval, Dataset: CUB, Metrics: {Recall@1: 88}}
  Paper: https://arxiv.org/abs/1512.00567v3
  Weights: https://a.test/w.pth
)",
                                         1);
  EXPECT_TRUE(read.defects.empty());
  EXPECT_EQ(rows(read), (Lines{"resnet50|Image Classification|ImageNet-1k|Top 1 Accuracy|76.55",
                               "resnet50|Image Classification|ImageNet-1k|Top 5 Accuracy|93.06%",
                               "resnet50|Retrieval|CUB|Recall@1|88"}));
  EXPECT_EQ(read.rows[1].value.number, 93.06);
  EXPECT_EQ(read.rows[0].line, 16U);
  EXPECT_EQ(
      references(read),
      (Lines{"Collections.Paper.URL https://arxiv.org/abs/1512.03385 [Deep Residual Learning]",
             "Models.Paper https://arxiv.org/abs/1512.00567v3 []"}));
  EXPECT_EQ(read.imports, (Lines{"configs/a/metafile.yml", "configs/b/metafile.yml"}));
}

TEST(PwcModelIndex, ACommentMayBeOneModel) {
  const auto read = read_pwc_model_index(
      "Type: model-index\nName: RexNet\nResults: {Task: t, Dataset: d, Metrics: {a: 1}}\n"
      "Paper: https://arxiv.org/abs/2007.00992v1\n",
      20);
  EXPECT_EQ(rows(read), (Lines{"RexNet|t|d|a|1"}));
  EXPECT_EQ(read.rows[0].line, 22U);
  EXPECT_EQ(references(read), (Lines{"Models.Paper https://arxiv.org/abs/2007.00992v1 []"}));
}

TEST(PwcModelIndex, TakesKeysInAnyCaseAndPathsForModels) {
  const auto read = read_pwc_model_index(
      "models:\n- docs/rexnet.md\n- name: m\n  PAPER: p\n  results:\n"
      "  - {task: t, dataset: {name: D, type: d}, metrics: [{a: 1}, {name: b, value: 2}]}\n"
      "IMPORT: one.yml\ncollections: all.yml\n",
      1);
  EXPECT_EQ(rows(read), (Lines{"m|t|d|a|1", "m|t|d||2"}));
  EXPECT_EQ(read.rows[1].metric_name, "b");
  EXPECT_EQ(read.rows[0].dataset_name, "D");
  EXPECT_EQ(read.imports, (Lines{"one.yml", "all.yml", "docs/rexnet.md"}));
  EXPECT_EQ(references(read), (Lines{"Models.Paper p []"}));
}

TEST(PwcModelIndex, ABadResultIsADefectAndTheOthersStay) {
  const auto read = read_pwc_model_index(
      "Models:\n- Name: m\n  Results:\n  - {Task: t, Dataset: d}\n  - {Task: t, Metrics: {a: 1}}\n"
      "  - {Dataset: d, Metrics: {a: 1}}\n  - {Task: t, Dataset: d, Metrics: }\n"
      "  - {Task: t, Dataset: d, Metrics: {a: 1}}\n- [list]\n- Name: n\n  Results:\n",
      1);
  EXPECT_EQ(rows(read), (Lines{"m|t|d|a|1"}));
  EXPECT_EQ(read.defects.size(), 5U);
  EXPECT_FALSE(read.error);
}

TEST(PwcModelIndex, OtherRootsAreReadWherePossible) {
  EXPECT_EQ(rows(read_pwc_model_index(
                "- Name: m\n  Results: [{Task: t, Dataset: d, Metrics: {a: 1}}]\n", 1)),
            (Lines{"m|t|d|a|1"}));
  EXPECT_EQ(rows(read_pwc_model_index(
                R"({"Models": [{"Name": "m", "Results": [{"Task": "t", "Dataset": "d",
                    "Metrics": {"a": 1}}]}]})",
                1)),
            (Lines{"m|t|d|a|1"}));
  EXPECT_EQ(read_pwc_model_index("text", 1).defects.size(), 1U);
  EXPECT_TRUE(read_pwc_model_index("Type: model-index", 1).defects.empty());
}

}  // namespace
}  // namespace tanggul::readers
