#include <gtest/gtest.h>

#include <ctime>

#include "support/fake_source_tree.h"
#include "support/hostile_documents.h"
#include "sync/read/read.h"

namespace tanggul::sync {
namespace {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr double kMost = 60;  // seconds of CPU; what it takes is measured by the benchmarks
constexpr std::size_t kBytes = 128 << 10;
#else
constexpr double kMost = 1.5;
constexpr std::size_t kBytes = (2 << 20) - 16;
#endif

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void reads_in_time(const std::string& file, std::size_t bytes) {
  for (const auto& document : test::hostile_documents()) {
    test::FakeSourceTree tree;
    tree.files[file] = document.make(bytes);
    ASSERT_LE(tree.files[file].size(), bytes + 16) << document.name;
    const double begun = cpu_seconds();
    const auto found = read_tree(tree, {*find_pool(default_pools(), "repo_clone"), {2026, 11}});
    EXPECT_LT(cpu_seconds() - begun, kMost) << document.name;
    ASSERT_TRUE(found) << document.name;
    EXPECT_TRUE(found->files_read == 1 || found->skipped.size() == 1) << document.name;
  }
}

TEST(HostileDocuments, AreReadAsMarkdownInTime) { reads_in_time("README.md", kBytes); }
TEST(HostileDocuments, AreReadAsRestInTime) { reads_in_time("README.rst", kBytes / 4); }
TEST(HostileDocuments, AreReadAsPlainTextInTime) { reads_in_time("README", kBytes / 4); }
TEST(HostileDocuments, AreReadAsBibtexInTime) { reads_in_time("refs.bib", kBytes / 4); }
TEST(HostileDocuments, AreReadAsMetadataInTime) {
  for (const char* file :
       {"CITATION.cff", "codemeta.json", "config.json", "model-index.yml", ".eval_results/x.yaml"})
    reads_in_time(file, 256 << 10);
}

}  // namespace
}  // namespace tanggul::sync
