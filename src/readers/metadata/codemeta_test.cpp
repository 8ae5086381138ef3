#include "readers/metadata/codemeta.h"

#include <gtest/gtest.h>

#include "readers/metadata/references_for_test.h"

namespace tanggul::readers {
namespace {

using Lines = std::vector<std::string>;

TEST(Codemeta, ReadsEachFormOfAReference) {
  const auto read = read_codemeta(R"({
  "@context": "https://w3id.org/codemeta/3.0", "@id": "ignored", "name": "Tool",
  "codeRepository": "https://git.test/r",
  "identifier": {"@type": "PropertyValue", "propertyID": "doi", "value": "10.5281/z.1"},
  "referencePublication": [
    "https://arxiv.org/abs/1706.03762",
    {"@type": "ScholarlyArticle", "@id": "https://doi.org/10.1/a", "name": "Paper",
     "isPartOf": {"@id": "journal"}, "identifier": ["10.1/a", "10.1/b"]}
  ],
  "citation": {"@type": "Book", "name": "A Book"}
})");
  EXPECT_TRUE(read.defects.empty());
  EXPECT_EQ(short_references(read),
            (Lines{"own referencePublication https://arxiv.org/abs/1706.03762 []",
                   "own referencePublication.@id https://doi.org/10.1/a [Paper]",
                   "own referencePublication.identifier 10.1/a [Paper]",
                   "own referencePublication.identifier 10.1/b [Paper]",
                   "unsaid citation  [A Book]", "unsaid identifier.value 10.5281/z.1 []",
                   "unsaid codeRepository https://git.test/r []"}));
  EXPECT_EQ(read.references[0].line, 6U);
}

TEST(Codemeta, ReadsListsAndGraphs) {
  const Lines one = {"own referencePublication p []"};
  EXPECT_EQ(short_references(read_codemeta(R"([{"referencePublication": "p"}])")), one);
  EXPECT_EQ(short_references(read_codemeta(R"({"@graph": [{"referencePublication": "p"}]})")), one);
  EXPECT_EQ(short_references(read_codemeta(R"({"referencePublication": "p", "x": )")), one);
  EXPECT_EQ(read_codemeta("3").defects.size(), 1U);
}

}  // namespace
}  // namespace tanggul::readers
