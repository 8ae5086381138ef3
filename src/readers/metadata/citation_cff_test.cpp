#include "readers/metadata/citation_cff.h"

#include <gtest/gtest.h>

#include "readers/metadata/references_for_test.h"

namespace tanggul::readers {
namespace {

using Lines = std::vector<std::string>;

TEST(CitationCff, TellsTheOwnPaperFromWhatItCites) {
  const auto read = read_citation_cff(R"(cff-version: 1.2.0
message: "If you use this, cite arXiv:0000.00000"
title: Tool
doi: 10.5281/zenodo.1
url: https://tool.test
authors: [{family-names: Doe, orcid: "https://orcid.org/0"}]
identifiers:
- {type: doi, value: 10.48550/arXiv.2207.02696, description: The preprint}
- {type: url, value: "https://arxiv.org/abs/2207.02696"}
- {type: doi, value: 10.5281/zenodo.2, description: This version}
- {type: swh, value: "swh:1:rel:abc"}
preferred-citation:
  type: article
  title: The Paper
  abstract: Unlike arXiv:1111.11111 we win.
  authors: [{family-names: Doe, url: "https://doe.test"}]
  doi: 10.1145/1
  url: https://arxiv.org/abs/2207.02696
  journal: arXiv preprint arXiv:2207.02696
  identifiers: [{type: other, value: "arXiv:2207.02696"}]
references:
- {type: article, title: Other, doi: 10.1/o}
- {type: book, title: A Book}
)");
  EXPECT_TRUE(read.defects.empty());
  EXPECT_EQ(short_references(read),
            (Lines{"own preferred-citation.doi 10.1145/1 [The Paper]",
                   "own preferred-citation.url https://arxiv.org/abs/2207.02696 [The Paper]",
                   "own preferred-citation.journal arXiv preprint arXiv:2207.02696 [The Paper]",
                   "own preferred-citation.identifiers.value arXiv:2207.02696 [The Paper]",
                   "own doi 10.5281/zenodo.1 [Tool]", "own url https://tool.test [Tool]",
                   "own identifiers.value 10.48550/arXiv.2207.02696 [Tool]",
                   "own identifiers.value https://arxiv.org/abs/2207.02696 [Tool]",
                   "unsaid identifiers.value 10.5281/zenodo.2 [Tool]",
                   "cited references.doi 10.1/o [Other]", "cited references  [A Book]"}));
  EXPECT_EQ(read.references[0].line, 17U);
}

TEST(CitationCff, OddFormsAreReadOrAreDefects) {
  EXPECT_EQ(short_references(read_citation_cff("preferred-citation: [{doi: a}, {doi: b}]")),
            (Lines{"own preferred-citation.doi a []", "own preferred-citation.doi b []"}));
  EXPECT_EQ(short_references(read_citation_cff("references: {doi: a}\nidentifiers: b\ndoi: [c]")),
            (Lines{"cited references.doi a []"}));
  EXPECT_EQ(short_references(read_citation_cff("preferred-citation:\n  doi: a\n  url: \"")),
            (Lines{"own preferred-citation.doi a []"}));
  EXPECT_EQ(read_citation_cff("@misc{a, title = {b}}").defects.size(), 1U);
  EXPECT_TRUE(read_citation_cff("").defects.empty());
}

}  // namespace
}  // namespace tanggul::readers
