#include "sync/read/candidate.h"

#include <gtest/gtest.h>

namespace tanggul::sync {
namespace {

TEST(Candidate, IsWhatItsNameSays) {
  EXPECT_EQ(kind_of_path("README.md"), FileKind::markdown);
  EXPECT_EQ(kind_of_path("docs/Method.MARKDOWN"), FileKind::markdown);
  EXPECT_EQ(kind_of_path("README.rst"), FileKind::rest);
  EXPECT_EQ(kind_of_path("README"), FileKind::plain);
  EXPECT_EQ(kind_of_path("sub/readme.txt"), FileKind::plain);
  EXPECT_EQ(kind_of_path("CITATION"), FileKind::plain);
  EXPECT_EQ(kind_of_path("refs.bib"), FileKind::bibtex);
  EXPECT_EQ(kind_of_path("CITATION.bib"), FileKind::citation_bibtex);
  EXPECT_EQ(kind_of_path("CITATION.cff"), FileKind::citation_cff);
  EXPECT_EQ(kind_of_path("codemeta.json"), FileKind::codemeta);
  EXPECT_EQ(kind_of_path("base/config.json"), FileKind::config_json);
  EXPECT_EQ(kind_of_path("model-index.yml"), FileKind::model_index);
  EXPECT_EQ(kind_of_path(".eval_results/mmlu.yaml"), FileKind::eval_results);
}

TEST(Candidate, SourceCodeDataAndForeignFoldersAreNone) {
  for (const char* path : {"main.cpp", "requirements.txt", "data.json", ".github/workflows/ci.yml",
                           "readmefirst.txt", "words.txt", "node_modules/x/README.md",
                           "third_party/lib/README.rst", "a/vendor/b/config.json", "package.json"})
    EXPECT_EQ(kind_of_path(path), FileKind::none) << path;
}

TEST(Candidate, AFileThatIsNamedIsReadWhateverItsNameIs) {
  EXPECT_EQ(kind_of_file("/x/card.md"), FileKind::markdown);
  EXPECT_EQ(kind_of_file("gpt2-medium-config.json"), FileKind::config_json);
  EXPECT_EQ(kind_of_file("my.cff"), FileKind::citation_cff);
  EXPECT_EQ(kind_of_file("models.yml"), FileKind::model_index);
  EXPECT_EQ(kind_of_file("notes"), FileKind::plain);
}

std::vector<Candidate> of(std::initializer_list<const char*> paths) {
  std::vector<Candidate> all;
  for (const char* path : paths) all.push_back({{path, 1}, kind_of_path(path)});
  return in_order(std::move(all));
}

TEST(Candidates, TheReadmeOfTheRootSpeaksForTheRepositoryAndComesFirst) {
  const auto all = of({"CHANGELOG.md", "a/README.md", "README.md", "README_zh.md", "config.json"});
  EXPECT_EQ(all[0].file.path, "README.md");
  EXPECT_TRUE(all[0].primary);
  EXPECT_EQ(all[1].file.path, "README_zh.md");
  EXPECT_TRUE(all[1].primary);
  for (std::size_t i = 2; i < all.size(); ++i) EXPECT_FALSE(all[i].primary) << all[i].file.path;
  EXPECT_EQ(all.back().file.path, "a/README.md");
}

TEST(Candidates, AReadmeOfDocsSpeaksOnlyWhereTheRootHasNone) {
  const auto both = of({"docs/README.md", "README.md", ".github/README.md"});
  EXPECT_EQ(both[0].file.path, "README.md");
  EXPECT_TRUE(both[0].primary);
  EXPECT_FALSE(both[1].primary);
  EXPECT_FALSE(both[2].primary);
  const auto docs = of({"docs/README.md", "CHANGELOG.md"});
  EXPECT_EQ(docs[0].file.path, "docs/README.md");
  EXPECT_TRUE(docs[0].primary);
  EXPECT_FALSE(docs[1].primary);
}

TEST(Candidates, WithoutAReadmeTheDocumentsNearestToTheRootSpeak) {
  const auto all = of({"b/x.md", "b/c/y.md", "config.json", "refs.bib"});
  EXPECT_EQ(all[0].file.path, "b/x.md");
  EXPECT_TRUE(all[0].primary);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Candidate& c) { return c.primary; }), 1);
}

}  // namespace
}  // namespace tanggul::sync
