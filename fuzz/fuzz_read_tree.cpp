// A tree whose README is good and whose other files are anything: the README's findings are always
// there, and all that is found has a place.
#include <algorithm>
#include <cstdint>
#include <string>

#include "check.h"
#include "readers/arxiv/id.h"
#include "support/fake_source_tree.h"
#include "sync/read/read.h"

using namespace tanggul;

namespace {

constexpr const char* kGood =
    "# Thing\n\nThe code of [our paper](https://arxiv.org/abs/2104.08821).\n\n"
    "| model | accuracy |\n|-|-|\n| a | 91.5 |\n";

constexpr const char* kNames[] = {
    "CITATION.cff", "codemeta.json", "config.json", "model-index.yml", ".eval_results/a.yaml",
    "docs/a.md",    "docs/b.rst",    "docs/README", "refs.bib",        "CITATION.bib"};

// Each file is a byte that names it, and what stands before the next byte 0xfe.
test::FakeSourceTree tree_of(std::string_view input) {
  test::FakeSourceTree tree;
  tree.files["README.md"] = kGood;
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\xfe'), input.size());
    const std::string_view file = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (!file.empty())
      tree.files[kNames[static_cast<unsigned char>(file[0]) % std::size(kNames)]] = file.substr(1);
  }
  tree.piece = 7;
  return tree;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 64 << 10) return 0;
  test::FakeSourceTree tree = tree_of({reinterpret_cast<const char*>(data), size});
  const auto found =
      sync::read_tree(tree, {*sync::find_pool(sync::default_pools(), "repo_clone"), {2026, 11}});
  FUZZ_CHECK(found.has_value());
  bool own = false;
  for (const auto& paper : found->papers) {
    FUZZ_CHECK(readers::arxiv::parse(paper.arxiv, {2026, 11}));
    FUZZ_CHECK(paper.score >= 0 && paper.score <= 1);
    for (const auto& evidence : paper.evidence) FUZZ_CHECK(tree.files.contains(evidence.file));
    own = own || (paper.arxiv == "2104.08821" && paper.own);
  }
  FUZZ_CHECK(own);
  bool table = false;
  for (const auto& [file, result] : found->result_tables) {
    for (const auto& row : result.table.rows) FUZZ_CHECK(row.size() <= result.table.columns.size());
    table = table || file == "README.md";
  }
  FUZZ_CHECK(table);
  return 0;
}
