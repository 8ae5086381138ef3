#include "readers/papers/phrases.h"

#include <gtest/gtest.h>

namespace tanggul::readers {
namespace {

TEST(Phrases, TellWhatIsClaimed) {
  for (const char* text : {"see our paper ", "official implementation of ", "this is the code for ",
                           "source code of the paper ", "our ", "we publish the codebase for ",
                           "reproducing the results of ", "我们的论文 "})
    EXPECT_TRUE(claims(text)) << text;
  for (const char* text : {"", "we use ", "as in the paper ", "based on the work of ", "see "})
    EXPECT_FALSE(claims(text)) << text;
}

TEST(Phrases, DoNotFindOurInOtherWords) {
  for (const char* text : {"in four ", "your ", "the tour", "an hour ", "if your "})
    EXPECT_FALSE(claims(text)) << text;
}

TEST(Phrases, TellWhatIntroduces) {
  EXPECT_TRUE(introduces("a model proposed in "));
  EXPECT_TRUE(introduces("as described in the paper "));
  EXPECT_FALSE(introduces("we compare with "));
}

TEST(Phrases, TellWhatAsksToCite) {
  for (const char* text : {"if you use this, please cite", "please consider citing our work:",
                           "cite as:", "the bibtex entry is", "如果有帮助，请引用"})
    EXPECT_TRUE(asks_to_cite(text)) << text;
  for (const char* text : {"", "this is a site", "excited to", "the city"})
    EXPECT_FALSE(asks_to_cite(text)) << text;
}

TEST(Phrases, TellWhatAsksForSeveral) {
  EXPECT_TRUE(asks_for_several("please cite the following papers"));
  EXPECT_TRUE(asks_for_several("please cite both"));
  EXPECT_FALSE(asks_for_several("please cite this paper"));
}

TEST(Phrases, TellHeadingsOfCitation) {
  for (const char* heading : {"Citation", "How to cite", "Citing this work", "BibTeX", "引用"})
    EXPECT_TRUE(is_citation_heading(heading)) << heading;
  for (const char* heading : {"Install", "", "Related work", "City"})
    EXPECT_FALSE(is_citation_heading(heading)) << heading;
  EXPECT_TRUE(is_reference_heading("Reference"));
  EXPECT_FALSE(is_reference_heading("References"));
}

TEST(Phrases, TellHeadingsOfOthers) {
  for (const char* heading : {"related work", "acknowledgements", "references", "other projects",
                              "credits", "awesome papers", "致谢"})
    EXPECT_TRUE(is_others_heading(heading)) << heading;
  for (const char* heading : {"citation", "results", "", "acknowledging this work", "introduction"})
    EXPECT_FALSE(is_others_heading(heading)) << heading;
}

TEST(Phrases, TellLabelsOfPapers) {
  for (const char* label : {"Paper", "arXiv", "[PDF]", "Technical Report", "📄 paper", "论文"})
    EXPECT_TRUE(is_paper_label(label)) << label;
  for (const char* label :
       {"", "Attention Is All You Need", "code", "a paper about very many other things"})
    EXPECT_FALSE(is_paper_label(label)) << label;
}

TEST(Phrases, TellWhatNamesTheTitle) {
  EXPECT_TRUE(names_title("SimCSE: Simple Contrastive Learning", "SimCSE"));
  EXPECT_TRUE(names_title("Simple Contrastive Learning of Sentence Embeddings",
                          "Simple Contrastive Learning"));
  EXPECT_TRUE(names_title("WizardCoder", "WizardCoder2: Official code"));
  EXPECT_FALSE(names_title("Attention Is All You Need", "SimCSE"));
  EXPECT_FALSE(names_title("", "SimCSE"));
  EXPECT_FALSE(names_title("SimCSE", ""));
  EXPECT_FALSE(names_title("the paper", "The code"));
}

}  // namespace
}  // namespace tanggul::readers
