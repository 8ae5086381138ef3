#include "sync/read/read.h"

#include <gtest/gtest.h>

#include "support/fake_source_tree.h"

namespace tanggul::sync {
namespace {

using test::FakeSourceTree;

constexpr const char* kReadme =
    "---\nmodel-index:\n- name: m\n  results:\n  - task: {type: t}\n    dataset: {type: d, name: "
    "D}\n"
    "    metrics:\n    - {type: acc, value: 0.9}\n---\n# Thing\n\nOur paper: "
    "https://arxiv.org/abs/2104.08821\n\n"
    "| model | acc |\n|-|-|\n| a | 91.5 |\n";

Findings read(FakeSourceTree& tree, const char* pool = "repo_clone") {
  auto found = read_tree(tree, {*find_pool(default_pools(), pool), {2026, 11}});
  EXPECT_TRUE(found) << found.error().detail;
  return found ? *found : Findings{};
}

std::string reason_for(const Findings& findings, std::string_view file) {
  for (const Skipped& skipped : findings.skipped)
    if (skipped.file == file) return skipped.reason;
  return {};
}

bool names(const Findings& findings, std::string_view id) {
  for (const auto& paper : findings.papers)
    if (paper.arxiv == id) return true;
  return false;
}

TEST(Read, ADocumentThatACloneHasLeftOutIsForTheLargerPool) {
  test::FakeSourceTree tree;
  tree.unread["README.md"] = ports::Unread::absent;
  tree.unread["config.json"] = ports::Unread::absent;
  tree.unread["docs/gone.md"] = ports::Unread::dangling;
  const Pool pool = default_pools()[0];
  const auto had = read_tree(tree, {.pool = pool, .latest = {2026, 11}, .large_left_out = true});
  EXPECT_EQ(had->handed_to, "repo_clone_large");
  const auto kept = read_tree(tree, {.pool = pool, .latest = {2026, 11}});
  EXPECT_EQ(kept->handed_to, "") << "lost, whatever its size was";
  tree.unread.erase("README.md");
  const auto no_text =
      read_tree(tree, {.pool = pool, .latest = {2026, 11}, .large_left_out = true});
  EXPECT_EQ(no_text->handed_to, "") << "the larger pool would read no more of it";
}

TEST(ReadTree, ReadsEachFileByWhatItIs) {
  FakeSourceTree tree;
  tree.files = {
      {"README.md", kReadme},
      {"docs/more.rst", "More\n====\n\nSee arXiv:1706.03762v3.\n"},
      {"refs.bib", "@article{a, title={X}, eprint={hep-th/9711200}, archivePrefix={arXiv}}"},
      {"config.json", R"({"model_type": "bert", "vocab_size": 10})"},
      {"deep/config.json", R"({"model_type": "gpt2"})"},
      {"CITATION.cff",
       "cff-version: 1.2.0\npreferred-citation:\n  type: article\n  title: T\n  url: "
       "https://arxiv.org/abs/2005.00687\n"},
      {"codemeta.json", R"({"referencePublication": "https://arxiv.org/abs/1910.13461"})"},
      {".eval_results/e.yaml", "- dataset: {id: cais/mmlu, task_id: mmlu}\n  value: 71.5\n"},
      {"model-index.yml",
       "Models:\n- Name: r\n  Paper: https://arxiv.org/abs/1512.03385\n  Results:\n  - Task: IC\n  "
       "  Dataset: ImageNet\n    Metrics: {Top-1: 76.1}\n"},
      {"main.cpp", "// arXiv:2003.13678"}};
  const Findings found = read(tree);
  EXPECT_EQ(found.files_read, 9U);
  EXPECT_EQ(found.papers.size(), 6U);
  for (const auto& paper : found.papers)
    EXPECT_EQ(paper.own, paper.arxiv == "2104.08821" || paper.arxiv == "2005.00687" ||
                             paper.arxiv == "1910.13461")
        << paper.arxiv;
  ASSERT_EQ(found.result_tables.size(), 1U);
  EXPECT_EQ(found.result_tables[0].value.table.line, 14U);
  EXPECT_EQ(found.model_index.size(), 3U);
  ASSERT_TRUE(found.model);
  EXPECT_EQ(found.model->value.model_type, "bert");
  EXPECT_EQ(found.other_models.size(), 1U);
  EXPECT_TRUE(found.errors.empty());
  EXPECT_TRUE(found.skipped.empty());
}

TEST(ReadTree, ABadFileCostsNoOther) {
  FakeSourceTree tree;
  tree.files = {{"README.md", kReadme},
                {"CITATION.cff", "a: [b\n: : :\n\t- {"},
                {"config.json", "{\"model_type\": \"ber"},
                {"codemeta.json", std::string(2000, '[')},
                {"model-index.yml", std::string(200000, '{')},
                {"a.md", std::string(100000, '\0') + "arXiv:1706.03762"},
                {"b.md", "---\nk: " + std::string(300000, 'x') + "\n---\narXiv:1512.03385\n"},
                {"lfs.md", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"},
                {"gone.md", "x"}};
  tree.unreadable = {{"gone.md", ports::Unread::absent}};
  tree.unread = {{"link.md", ports::Unread::outside}};
  const Findings found = read(tree);
  EXPECT_TRUE(names(found, "2104.08821"));
  EXPECT_TRUE(names(found, "1512.03385"));
  EXPECT_EQ(found.model_index.size(), 1U);
  EXPECT_EQ(found.result_tables.size(), 1U);
  EXPECT_EQ(reason_for(found, "a.md"), "no text");
  EXPECT_NE(reason_for(found, "lfs.md").find("LFS"), std::string::npos);
  EXPECT_NE(reason_for(found, "gone.md").find("not there"), std::string::npos);
  EXPECT_NE(reason_for(found, "link.md").find("out of the tree"), std::string::npos);
  bool front_matter = false;
  for (const StageError& error : found.errors)
    front_matter = front_matter || (error.stage == Stage::front_matter && error.file == "b.md");
  EXPECT_TRUE(front_matter) << "front matter over the limit is an error of ours";
}

TEST(ReadTree, ADocumentOverTheTextLimitIsSkippedUnreadAndHandedOn) {
  FakeSourceTree tree;
  tree.files = {{"README.md", kReadme},
                {"BIG.md", "arXiv:1706.03762\n" + std::string(3 << 20, 'a')}};
  const Findings small = read(tree);
  EXPECT_EQ(small.handed_to, "repo_clone_large");
  EXPECT_EQ(reason_for(small, "BIG.md"),
            "over the 2 MiB that are read of one; for the pool repo_clone_large");
  EXPECT_FALSE(names(small, "1706.03762"));
  EXPECT_TRUE(names(small, "2104.08821"));
  const Findings large = read(tree, "repo_clone_large");
  EXPECT_TRUE(large.handed_to.empty());
  EXPECT_TRUE(names(large, "1706.03762"));
}

TEST(ReadTree, TheLargePoolReadsTheBeginningUpToALineEnd) {
  FakeSourceTree tree;
  std::string text = "# T\n\nour paper arXiv:1706.03762\n\n";
  while (text.size() < 65U << 20) text += std::string(1000, 'x') + "\n";
  text += "arXiv:1512.03385\n";
  tree.files = {{"README.md", text}};
  const Findings found = read(tree, "repo_clone_large");
  EXPECT_TRUE(names(found, "1706.03762"));
  EXPECT_FALSE(names(found, "1512.03385"));
  ASSERT_EQ(found.truncated.size(), 1U);
  EXPECT_EQ(found.truncated[0].size, text.size());
  EXPECT_LE(found.truncated[0].read, 64U << 20);
  EXPECT_GT(found.truncated[0].read, (64U << 20) - 1100);
  EXPECT_EQ(text[found.truncated[0].read - 1], '\n');
}

TEST(ReadTree, HalfAJsonIsNoDocument) {
  FakeSourceTree tree;
  tree.files = {
      {"config.json", "{\"model_type\": \"bert\", \"x\": \"" + std::string(3 << 20, 'a') + "\"}"}};
  const Findings found = read(tree, "repo_clone_large");
  EXPECT_FALSE(found.model);
  EXPECT_EQ(reason_for(found, "config.json"), "over the 2 MiB that are read of one");
  EXPECT_TRUE(found.errors.empty());
}

TEST(ReadTree, FollowsTheImportsOfAModelIndexOnceEach) {
  FakeSourceTree tree;
  tree.files = {
      {"model-index.yml", "Import:\n- models/a.yml\n- models/missing.yml\n- ../outside.yml\n"},
      {"models/a.yml",
       "Import: b.yml\nModels:\n- Name: a\n  Results:\n  - {Task: t, Dataset: d, Metrics: {m: "
       "1.5}}\n"},
      {"models/b.yml",
       "Import: a.yml\nModels:\n- Name: b\n  Results:\n  - {Task: t, Dataset: d, Metrics: {m: "
       "2.5}}\n"},
      {"models/other.yml", "Models: []"}};
  const Findings found = read(tree);
  ASSERT_EQ(found.model_index.size(), 2U);
  EXPECT_EQ(found.model_index[0].value.model, "a");
  EXPECT_EQ(found.model_index[1].value.value.text, "2.5");
  EXPECT_NE(reason_for(found, "models/missing.yml").find("named by a model index"),
            std::string::npos);
  EXPECT_EQ(found.files_read, 3U);
}

TEST(ReadTree, AFileThatIsImportedTwiceIsReadOnce) {
  FakeSourceTree tree;
  const std::string model =
      "Models:\n- Name: a\n  Results:\n  - {Task: t, Dataset: d, Metrics: {m: 1}}\n";
  tree.files = {{"model-index.yml", "Import:\n- models/a.yml\n"},
                {"models/a.yml", "Import: '*.yml'\n" + model}};
  const Findings found = read(tree);
  EXPECT_EQ(found.model_index.size(), 1U);
  EXPECT_EQ(found.files_read, 2U);
}

TEST(ReadTree, TellsOfImportsThatAreMissingOrTooMany) {
  FakeSourceTree tree;
  tree.files["model-index.yml"] = "Import:\n- docs/missing.md\n";
  for (int i = 0; i < 20; ++i) {
    tree.files["model-index.yml"] += "- m" + std::to_string(i) + "/*.yml\n";
    tree.files["m" + std::to_string(i) + "/a.yml"] = "Models: []\n";
  }
  const Findings found = read(tree);
  EXPECT_FALSE(reason_for(found, "docs/missing.md").empty());
  EXPECT_EQ(found.files_read, 17U);
  EXPECT_NE(reason_for(found, "").find("more files than are followed"), std::string::npos);
}

TEST(ReadTree, ImportsMayBePatternsAndDocumentsAreReadOnce) {
  FakeSourceTree tree;
  const std::string model = "  Results:\n  - {Task: t, Dataset: d, Metrics: {m: 1.5}}\n";
  tree.files = {{"model-index.yml", "Import:\n- models/*.yml\n- docs/a.md\n- none/*.yml\n"},
                {"models/a.yml", "Models:\n- Name: a\n" + model},
                {"models/b.yml", "Models:\n- Name: b\n" + model},
                {"models/deep/c.yml", "Models:\n- Name: c\n" + model},
                {"docs/a.md", "# A\n\narXiv:1706.03762\n"}};
  const Findings found = read(tree);
  EXPECT_EQ(found.model_index.size(), 2U);
  EXPECT_EQ(found.files_read, 4U);
  EXPECT_TRUE(found.defects.empty());
  ASSERT_EQ(found.papers.size(), 1U);
  EXPECT_EQ(found.papers[0].mentions, 1U);
  EXPECT_FALSE(reason_for(found, "none/*.yml").empty());
}

TEST(ReadTree, AModelIndexInACommentIsReadAndOtherCommentsAreNot) {
  FakeSourceTree tree;
  tree.files = {{"README.md",
                 "# T\n\n<!--\nType: model-index\nName: m\nResults:\n- Task: t\n  Dataset: d\n  "
                 "Metrics:\n    acc: 3.5\nPaper: https://arxiv.org/abs/1512.03385\n-->\n\n"
                 "<!-- arXiv:1706.03762 -->\n"}};
  const Findings found = read(tree);
  ASSERT_EQ(found.model_index.size(), 1U);
  EXPECT_EQ(found.model_index[0].value.value.text, "3.5");
  EXPECT_TRUE(names(found, "1512.03385"));
  EXPECT_FALSE(names(found, "1706.03762"));
}

TEST(ReadTree, ModelIndexesInCommentsAreTogetherAsLongAsOneFileMayBe) {
  const std::string index =
      "<!--\nType: model-index\nName: m\nResults:\n- Task: t\n  Dataset: d\n  Metrics:\n"
      "    acc: 1\n" +
      std::string(60'000, '#') + "\n-->\n\n";
  FakeSourceTree tree;
  for (int i = 0; i < 6; ++i) tree.files["README.md"] += index;
  tree.files["docs/a.md"] = index;
  const Findings found = read(tree);
  EXPECT_EQ(found.model_index.size(), 5U);  // four, and that of the other file
  ASSERT_EQ(found.errors.size(), 1U);
  EXPECT_EQ(found.errors[0].stage, Stage::results);
  EXPECT_EQ(found.errors[0].file, "README.md");
}

TEST(ReadTree, AnIndexThatDoesNotFitCostsNoOther) {
  const auto index = [](std::size_t bytes) {
    const std::string begin =
        "\nType: model-index\nName: m\nResults:\n- Task: t\n  Dataset: d\n  Metrics:\n    a: 1\n";
    return "<!--" + begin + std::string(bytes - begin.size(), '#') + "-->\n\n";
  };
  FakeSourceTree too_long, to_the_byte;
  too_long.files["README.md"] = index(256 * 1024 + 1) + index(300) + index(300);
  const Findings two = read(too_long);
  EXPECT_EQ(two.model_index.size(), 2U);
  EXPECT_EQ(two.errors.size(), 1U);
  to_the_byte.files["README.md"] = index(256 * 1024) + index(300) + index(300);
  const Findings one = read(to_the_byte);
  EXPECT_EQ(one.model_index.size(), 1U);
  EXPECT_EQ(one.errors.size(), 1U);
}

TEST(ReadTree, OnlyKeysAtOnceBehindTheFirstLineAreFrontMatterWithoutAnEnd) {
  const auto defects = [](const std::string& text) {
    FakeSourceTree tree;
    tree.files["README.md"] = text;
    return read(tree).defects.size();
  };
  EXPECT_EQ(defects("---\nlicense: mit\ntags:\n- x\n\n# T\n"), 1U);
  EXPECT_EQ(defects("---\n\n# T\n\n- item one\n- item two\n"), 0U);
  EXPECT_EQ(defects("---\n\n# T\n"), 0U);
  EXPECT_EQ(defects("---\n" + std::string(1500, '\n') + "Hello **all**\n"), 0U);
  EXPECT_EQ(defects("---\nPlease note: this is text.\n"), 0U);
}

TEST(ReadTree, AThematicBreakAtTheTopIsNoFrontMatter) {
  FakeSourceTree tree;
  tree.files = {{"README.md", "---\n\n# T\n\narXiv:1706.03762\n\n---\n\nrest\n"}};
  EXPECT_TRUE(names(read(tree), "1706.03762"));
  tree.files = {{"README.md",
                 "\xef\xbb\xbf\n---\r\narxiv: 1706.03762 # arXiv:1512.03385\r\n# "
                 "arXiv:2005.00687\r\n---\r\n"}};
  const Findings found = read(tree);
  EXPECT_TRUE(names(found, "1706.03762"));
  EXPECT_FALSE(names(found, "2005.00687"));
}

TEST(ReadTree, AllTextsTogetherAreBounded) {
  FakeSourceTree tree;
  for (int i = 0; i < 20; ++i)
    tree.files["doc" + std::to_string(100 + i) + ".md"] = std::string((2 << 20) - 10, 'x');
  tree.files["README.md"] = kReadme;
  const Findings found = read(tree);
  EXPECT_LE(found.bytes_read, 32U << 20);
  EXPECT_TRUE(names(found, "2104.08821"));
  EXPECT_NE(reason_for(found, "doc119.md").find("all texts together"), std::string::npos);
}

TEST(ReadTree, WhatIsLeftOutOverALimitOfOursIsAnError) {
  FakeSourceTree tree;
  std::string& text = tree.files["README.md"];
  for (int i = 0; i < 600; ++i) text += "## T\n\n| m | acc |\n|-|-|\n| a | 1.5 |\n\n";
  const Findings found = read(tree);
  EXPECT_EQ(found.result_tables.size(), 500U);
  ASSERT_EQ(found.errors.size(), 1U);
  EXPECT_EQ(found.errors[0].message, "more than 500 result tables: 100 are left out");
}

TEST(ReadTree, ATreeThatCannotBeListedIsAnError) {
  FakeSourceTree tree;
  tree.error = Failure{Errc::stalled, "git did not answer"};
  const auto found = read_tree(tree, {*find_pool(default_pools(), "repo_clone"), {2026, 11}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::stalled);
}

}  // namespace
}  // namespace tanggul::sync
