#include "readers/tables/results.h"

#include <gtest/gtest.h>

#include <sstream>

#include "readers/tables/topic.h"

namespace tanggul::readers {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// "| a | b |" lines: the first is the header.
Table table(const std::string& lines, std::vector<std::string> headings = {},
            const std::string& caption = {}) {
  Table table;
  table.announced =
      announces_results(caption) || (!headings.empty() && announces_results(headings.back()));
  table.headings = std::move(headings);
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '|');) {
      const auto begin = cell.find_first_not_of(' ');
      cells.push_back(
          begin == cell.npos ? "" : cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
    }
    cells.resize(table.columns.empty() ? cells.size() : table.columns.size());
    if (table.columns.empty())
      table.columns = std::move(cells);
    else
      table.rows.push_back(std::move(cells));
  }
  return table;
}

// "subject/dataset/metric=value" of each result; of what was given and not measured "~" for "=".
std::string results(Table table) {
  const auto found = measured(std::move(table));
  std::string out;
  if (!found) return "none";
  for (const TableResult& result : found->results) {
    if (!out.empty()) out += " ";
    std::ostringstream value;
    value << result.value;
    out += result.subject + "/" + result.dataset + "/" + result.metric +
           (result.measured ? "=" : "~") + value.str();
  }
  return out;
}

TEST(Results, AMetricOfAnotherScriptIsOneBehindANumberSignToo) {
  EXPECT_EQ(results(table("模型 | # 准确率\nA | 76.1\nB | 78.3")),
            "A//# 准确率=76.1 B//# 准确率=78.3");
  EXPECT_EQ(results(table("Model | # Accuracy classes\nA | 10\nB | 12")), "none");
}

TEST(Results, ReadsMetricsInColumns) {
  EXPECT_EQ(
      results(table("Model | Params | Top-1 Acc. | F1\nA | 25M | 76.1 | 0.8\nB | 60M | 78.3 | -")),
      "A//Params~2.5e+07 A//Top-1 Acc.=76.1 A//F1=0.8 B//Params~6e+07 B//Top-1 Acc.=78.3");
  EXPECT_EQ(results(table("Model | ImageNet | COCO\nA | 76.1 | 40.2")),
            "A/ImageNet/=76.1 A/COCO/=40.2");
}

TEST(Results, ReadsTransposedTables) {
  EXPECT_EQ(results(table("Metric | A | B\nBLEU | 27.3 | 28.4\nROUGE | 0.5 | 0.6")),
            "A//BLEU=27.3 B//BLEU=28.4 A//ROUGE=0.5 B//ROUGE=0.6");
}

TEST(Results, TakesADatasetOutOfItsColumn) {
  EXPECT_EQ(results(table("Dataset | Model | Accuracy\nMNIST | A | 99.1\nCIFAR-10 | B | 95.0")),
            "A/MNIST/Accuracy=99.1 B/CIFAR-10/Accuracy=95");
  EXPECT_EQ(results(table("Model | Dataset | Accuracy\nA | MNIST | 99.1")),
            "A/MNIST/Accuracy=99.1");
}

TEST(Results, TakesADatasetOutOfTheHeadings) {
  EXPECT_EQ(results(table("Model | Accuracy\nA | 76.1", {"Results", "ImageNet"})),
            "A/ImageNet/Accuracy=76.1");
}

TEST(Results, BelievesWordsThatAnnounceThem) {
  const std::string unnamed = "Model | foo | bar\nA | 1.5 | 2.5\nB | 3.5 | 4.5";
  EXPECT_EQ(results(table(unnamed, {"Results"})), "A//foo=1.5 A//bar=2.5 B//foo=3.5 B//bar=4.5");
  EXPECT_NE(results(table("x | foo\nA | 1.5", {}, "Our evaluation gives:")), "none");
  EXPECT_EQ(results(table("x | foo\nA | 1.5", {"Parts"})), "none");
}

TEST(Results, TakesSettingsForNone) {
  for (const char* lines :
       {"Hyperparameter | StarCoder-15B\nBatch size | 512\nLearning rate | 2e-5\nEpochs | 3",
        "Parameter | Default\nlr | 0.001\ndropout | 0.1",
        "Flag | Default | Description\n--lr | 0.1 | rate",
        "Model | Params | Layers | Hidden\nA | 110M | 12 | 768\nB | 340M | 24 | 1024",
        "Quantization | GPU memory\nFP16 | 13 GB\nINT8 | 8 GB",
        "GPU | Memory | Price\nA100 | 40 GB | 3.06",
        "Model | Speed (fps) | Latency (ms)\nA | 30.5 | 12.2",
        "Version | Date | Changes\n1.0 | 2020-01-01 | first\n1.1 | 2020-02-01 | second",
        "Package | Version\ntorch | 1.13\nnumpy | 1.20",
        "Week | Topic\n1 | Introduction\n2 | Search", "File | Size | Link\na.pt | 100 MB | x",
        "Name | Description\nA | text", "Issue | PR\n12 | 34"})
    EXPECT_EQ(results(table(lines)), "none") << lines;
}

TEST(Results, TakesTablesWithoutNumbersForNone) {
  EXPECT_EQ(results(table("Model | Accuracy\nA | soon\nB | -")), "none");
  EXPECT_EQ(results(table("Model | Accuracy")), "none");
  EXPECT_EQ(results(Table{}), "none");
}

TEST(Results, TellsCostsFromWhatWasMeasured) {
  EXPECT_EQ(results(table(
                "Model | Params (M) | FLOPs (G) | mAP | Download\nA | 44.5 | 207.1 | 39.2 | 1")),
            "A//Params (M)~44.5 A//FLOPs (G)~207.1 A//mAP=39.2 A//Download~1");
}

TEST(Results, PointsToTheCell) {
  const auto found = measured(table("Model | Acc\nA | 76.1%\nB | n/a"));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->results.size(), 1U);
  EXPECT_EQ(found->results[0].row, 0U);
  EXPECT_EQ(found->results[0].column, 1U);
  EXPECT_EQ(found->results[0].text, "76.1%");
  EXPECT_EQ(found->table.rows.size(), 2U);
}

}  // namespace
}  // namespace tanggul::readers
