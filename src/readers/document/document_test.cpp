#include "readers/document/document.h"

#include <gtest/gtest.h>

#include <functional>

#include "readers/papers/ledger.h"

namespace tanggul::readers {
namespace {

constexpr arxiv::Month kNow{2026, 11};

// Writes down what a document says, and judges its papers as of a repository's README.
class Told final : public DocumentSink {
 public:
  Told() = default;
  explicit Told(const std::function<void(Told&)>& read) { read(*this); }

  void mention(const Mention& mention) override {
    mentions.push_back(mention);
    ledger.add("README", mention, true);
  }
  bool enough(std::string_view id) const override { return ledger.enough(id); }
  void result_table(ResultTable table) override { tables.push_back(std::move(table)); }
  void model_index(std::string_view yaml, std::uint32_t line) override {
    indexes.emplace_back(std::to_string(line) + ":" + std::string(yaml));
  }
  void defect(std::uint32_t line, std::string_view message) override {
    defects.emplace_back(std::to_string(line) + ": " + std::string(message));
  }

  // "3 link 1706.03762v5"
  std::string all() const {
    std::string out;
    for (const Mention& mention : mentions) {
      if (!out.empty()) out += " ; ";
      out += std::to_string(mention.line) + " " + std::string(name(mention.kind)) + " " +
             mention.id.canonical;
      if (mention.id.version > 0) out += "v" + std::to_string(mention.id.version);
    }
    return out;
  }
  // "own: a b cited: c"
  std::string judged() {
    std::string own = "own:", cited = " cited:";
    for (const Paper& paper : ledger.take_papers()) (paper.own ? own : cited) += " " + paper.arxiv;
    return own + cited;
  }

  std::vector<Mention> mentions;
  std::vector<ResultTable> tables;
  std::vector<std::string> indexes, defects;
  Ledger ledger;
};

Told markdown(std::string_view text, std::uint32_t first_line = 1) {
  return Told([&](Told& told) { read_markdown(text, first_line, kNow, told); });
}

Told rest(std::string_view text) {
  return Told([&](Told& told) { read_rest(text, kNow, told); });
}

Told plain(std::string_view text) {
  return Told([&](Told& told) { read_plain(text, kNow, told); });
}

TEST(Document, TellsTheLineAndKindOfEachMention) {
  EXPECT_EQ(markdown("# T\n\n[p](https://arxiv.org/abs/1706.03762v5)\nand arXiv:hep-th/9901001\n\n"
                     "![b](https://img.shields.io/badge/arXiv-1412.6980-red)\n\n"
                     "```\ngit clone # arXiv:2301.00001\n```\n\n"
                     "https://doi.org/10.48550/arXiv.2302.00002\n")
                .all(),
            "3 link 1706.03762v5 ; 4 text hep-th/9901001 ; 6 badge 1412.6980 ; 9 code 2301.00001 ; "
            "12 doi 2302.00002");
}

TEST(Document, CountsLinesFromTheFirst) {
  EXPECT_EQ(markdown("a\n\narXiv:1706.03762\n", 11).all(), "13 text 1706.03762");
  EXPECT_EQ(markdown("<p>\n\n</p>\n<p>\nb arXiv:1706.03762\n</p>\n", 11).all(),
            "15 text 1706.03762");
}

TEST(Document, QuotesTheLineOfAMention) {
  const auto told = markdown("one\ntwo arXiv:1706.03762 three\nfour\n");
  ASSERT_EQ(told.mentions.size(), 1U);
  EXPECT_EQ(told.mentions[0].text, "two arXiv:1706.03762 three");
  const auto longer =
      markdown(std::string(1000, 'x') + " é arXiv:1706.03762 " + std::string(1000, 'y'));
  ASSERT_EQ(longer.mentions.size(), 1U);
  EXPECT_LE(longer.mentions[0].text.size(), 160U);
  EXPECT_NE(longer.mentions[0].text.find("1706.03762"), std::string::npos);
}

TEST(Document, HidesCommentsButTheIndexOfModels) {
  const auto told = markdown(
      "a <!-- arXiv:1706.03762 --> b\n\n<!-- arXiv:1706.03762\n\narXiv:1412.6980\n-->\n\n"
      "<!--\nType: model-index\nCollections: []\n-->\n\nafter arXiv:2301.00001\n");
  EXPECT_EQ(told.all(), "13 text 2301.00001");
  ASSERT_EQ(told.indexes.size(), 1U);
  EXPECT_EQ(told.indexes[0], "8:\nType: model-index\nCollections: []\n");
}

TEST(Document, GoesOnBehindACommentThatAnHtmlBlockLeftOpen) {
  EXPECT_EQ(markdown("<div> <!-- a\n\narXiv:1706.03762\n\n--> </div>\n\narXiv:1412.6980\n").all(),
            "7 text 1412.6980");
}

TEST(Document, OwnsWhatItsTitleLinks) {
  EXPECT_EQ(markdown("# [My Net](https://arxiv.org/abs/1706.03762)\n\nWe compare with "
                     "[other](https://arxiv.org/abs/1412.6980).\n")
                .judged(),
            "own: 1706.03762 cited: 1412.6980");
}

TEST(Document, OwnsTheBadgeAboveTheText) {
  EXPECT_EQ(
      markdown("# My Net\n\n[![arXiv](https://img.shields.io/badge/arXiv-1706.03762-b31b1b.svg)]"
               "(https://arxiv.org/abs/1706.03762)\n\nText.\n\n## Credits\n\n"
               "We thank [them](https://arxiv.org/abs/1412.6980).\n")
          .judged(),
      "own: 1706.03762 cited: 1412.6980");
  EXPECT_EQ(markdown("<h1>My Net</h1>\n<a href=\"https://arxiv.org/abs/1706.03762\">Paper</a>\n\n"
                     "## Related work\n\n- [x](https://arxiv.org/abs/1412.6980)\n")
                .judged(),
            "own: 1706.03762 cited: 1412.6980");
}

TEST(Document, OwnsWhatAPictureAboveTheTextLinks) {
  const std::string paper = "<a href=\"https://arxiv.org/abs/1706.03762\">";
  const std::string text = "\n\nWe go beyond [them](https://arxiv.org/abs/1412.6980).\n";
  for (const std::string& above :
       {"<p align=\"center\">" + paper + "<img src=\"https://img.shields.io/badge/Paper-red\" " +
            "alt=\"Paper\"></a></p>",
        "<div align=\"center\">\n<a href=\"https://x.y\"><img src=\"https://img.shields.io/badge/" +
            std::string("Project-Page-blue\"></a>\n") + paper +
            "\n  <img src=\"https://img.shields.io/badge/arXiv-Paper-b31b1b\"></a>\n</div>",
        "<p>" + paper + "<img src='assets/arxiv.svg'></a></p>",
        std::string(
            "[![](https://img.shields.io/badge/a-b-red)](https://arxiv.org/abs/1706.03762)"),
        std::string("Code: [![](assets/paper.png)](https://arxiv.org/abs/1706.03762)")})
    EXPECT_EQ(markdown("# My Net\n\n" + above + text).judged(), "own: 1706.03762 cited: 1412.6980")
        << above;
}

TEST(Document, CitesWhatAListOrASentenceCallsAPaperAboveTheText) {
  std::string list = "# Awesome\n\nA list of papers.\n\n";
  for (int i = 10; i < 40; ++i)
    list += "- Title [[Paper](https://arxiv.org/abs/2101.000" + std::to_string(i) + ")]\n";
  EXPECT_TRUE(markdown(list).judged().starts_with("own: cited: 2101.00010 "));
  EXPECT_EQ(markdown("# Foo\n\nBuilt on LLaVA ([arXiv](https://arxiv.org/abs/2304.08485)) and "
                     "BERT [[paper](https://arxiv.org/abs/1810.04805)].\n")
                .judged(),
            "own: cited: 1810.04805 2304.08485");
  EXPECT_EQ(markdown("# Foo\n\n**Foo: a method** [[paper]](https://arxiv.org/abs/1706.03762)\n\n"
                     "See also [them](https://arxiv.org/abs/1412.6980).\n")
                .judged(),
            "own: 1706.03762 cited: 1412.6980");
}

TEST(Document, DoesNotOwnWhatItSaysItIsNot) {
  EXPECT_EQ(markdown("# X\n\nThis is NOT the official implementation of "
                     "[X](https://arxiv.org/abs/1512.03385).\n")
                .judged(),
            "own: cited: 1512.03385");
}

TEST(Document, TellsTheLineOfAnEprintAndNotOfALongerNumber) {
  EXPECT_EQ(markdown("```\n@misc{a,\n title={On 1999010012},\n x={y},\n"
                     " archivePrefix={arXiv}, eprint={9901001}, primaryClass={hep-th}\n}\n```\n")
                .all(),
            "5 bibtex hep-th/9901001");
}

TEST(Document, OwnsWhatItCallsItsOwn) {
  EXPECT_EQ(markdown("# Net\n\nSome text.\n\n## More\n\nThis is the official implementation of "
                     "[Alpha](https://arxiv.org/abs/1706.03762). It builds upon "
                     "[B](https://arxiv.org/abs/1412.6980).\n")
                .judged(),
            "own: 1706.03762 cited: 1412.6980");
}

TEST(Document, OwnsTheEntryItAsksToCite) {
  EXPECT_EQ(
      markdown("# Net\n\ntext arXiv:1412.6980\n\n## Citation\n\nPlease cite:\n\n```bibtex\n"
               "@article{a,\n  title={A},\n  journal={arXiv preprint arXiv:1706.03762}\n}\n"
               "@article{b,\n  title={B},\n  journal={arXiv preprint arXiv:2301.00001}\n}\n```\n")
          .judged(),
      "own: 1706.03762 cited: 2301.00001 1412.6980");
  EXPECT_EQ(markdown("# Net\n\n## Citation\n\nPlease cite the following papers:\n\n```\n"
                     "@article{a,\n title={A}, eprint={1706.03762}\n}\n"
                     "@article{b,\n title={B}, eprint={2301.00001}\n}\n```\n")
                .judged(),
            "own: 1706.03762 2301.00001 cited:");
}

TEST(Document, CitesWhatStandsUnderRelatedWork) {
  EXPECT_EQ(
      markdown(
          "# Net\n\ntext\n\n## Related work\n\n- our paper [A](https://arxiv.org/abs/1706.03762)\n")
          .judged(),
      "own: cited: 1706.03762");
  EXPECT_EQ(
      markdown("# Net\n\n## References\n\n```\n@misc{a, title={A}, eprint={1706.03762}}\n```\n")
          .judged(),
      "own: cited: 1706.03762");
}

TEST(Document, CitesWhatItOnlyCompares) {
  EXPECT_EQ(
      markdown("# Net\n\ntext\n\n## Use\n\nA [tokenizer](https://arxiv.org/abs/1706.03762) and "
               "[Adam](https://arxiv.org/abs/1412.6980).\n")
          .judged(),
      "own: cited: 1412.6980 1706.03762");
}

TEST(Document, ReadsReferencesWhereTheyAreUsed) {
  EXPECT_EQ(
      markdown(
          "# Net\n\nThe official implementation of [our paper][A].\n\n## More\n\nSee [b][2].\n\n"
          "[a]: https://arxiv.org/abs/1706.03762\n[2]: https://arxiv.org/abs/1412.6980\n")
          .judged(),
      "own: 1706.03762 cited: 1412.6980");
}

TEST(Document, ReadsNumbersWhereTheyAreUsed) {
  EXPECT_EQ(markdown("# Net\n\nThe official implementation of [1]. Unlike [2].\n\n## References\n\n"
                     "[1] A. Author. Net. arXiv:1706.03762\n\n[2] B. arXiv:1412.6980\n")
                .judged(),
            "own: 1706.03762 cited: 1412.6980");
}

TEST(Document, ReadsAnArxivColumnOfATable) {
  EXPECT_EQ(markdown("| Model | arXiv | Acc |\n|---|---|---|\n| A | 1706.03762 | 1412.6980 |\n"
                     "| B | [x](https://arxiv.org/abs/2301.00001) | 90.1 |\n")
                .all(),
            "3 text 1706.03762 ; 4 link 2301.00001");
}

TEST(Document, GivesTablesOfResults) {
  const auto told = markdown(
      "# Net\n\n## Results on ImageNet\n\nWe get:\n\n| Model | Acc |\n|---|---|\n"
      "| **A** | [76.1](x)% |\n\n## Settings\n\n| Flag | Default |\n|---|---|\n| lr | 0.1 |\n");
  ASSERT_EQ(told.tables.size(), 1U);
  const ResultTable& found = told.tables[0];
  EXPECT_EQ(found.table.line, 7U);
  EXPECT_FALSE(found.table.html);
  EXPECT_EQ(found.table.headings, (std::vector<std::string>{"Net", "Results on ImageNet"}));
  ASSERT_EQ(found.results.size(), 1U);
  EXPECT_EQ(found.results[0].subject, "A");
  EXPECT_EQ(found.results[0].metric, "Acc");
  EXPECT_EQ(found.results[0].dataset, "Results on ImageNet");
  EXPECT_EQ(found.results[0].text, "76.1%");
}

TEST(Document, GivesTablesOfHtml) {
  const auto told = markdown(
      "# Net\n\n<table>\n<tr><th rowspan=2>Model</th><th colspan=2>COCO</th></tr>\n"
      "<tr><th>AP</th><th>AR</th></tr>\n<tr><td>A</td><td>40.1</td><td>50.2</td></tr>\n"
      "</table>\n");
  ASSERT_EQ(told.tables.size(), 1U);
  EXPECT_TRUE(told.tables[0].table.html);
  EXPECT_EQ(told.tables[0].table.line, 3U);
  EXPECT_EQ(told.tables[0].table.columns,
            (std::vector<std::string>{"Model", "COCO AP", "COCO AR"}));
  EXPECT_EQ(told.tables[0].results.size(), 2U);
}

TEST(Document, CutsATableOfVeryManyRows) {
  std::string text = "| Model | Acc |\n|---|---|\n";
  for (int i = 0; i < 3000; ++i) text += "| A | 1.5 |\n";
  const auto told = markdown(text);
  ASSERT_EQ(told.tables.size(), 1U);
  EXPECT_EQ(told.tables[0].table.rows.size(), 2000U);
  EXPECT_EQ(told.defects, std::vector<std::string>{"1: a table of more rows than are read"});
}

TEST(Document, ReadsBibtexInAParagraph) {
  const auto told = markdown("## Citation\n\n@article{a, title={A},\neprint={1706.03762}}\n");
  EXPECT_EQ(told.all(), "4 bibtex 1706.03762");
}

TEST(Document, TellsOfABrokenEntry) {
  const auto told = markdown("```\n@article{a,\n title={A,\n journal={arXiv:1706.03762}\n}\n```\n");
  EXPECT_EQ(told.all(), "4 bibtex 1706.03762");
  EXPECT_EQ(told.defects.size(), 1U);
}

TEST(Document, ReadsRest) {
  EXPECT_EQ(rest("=====\nMy Net\n=====\n\nThe implementation of `our paper "
                 "<https://arxiv.org/abs/1706.03762>`_.\n\n"
                 "Related work\n------------\n\n- `x <https://arxiv.org/abs/1412.6980>`_\n")
                .judged(),
            "own: 1706.03762 cited: 1412.6980");
  EXPECT_EQ(rest(".. hidden arXiv:1706.03762\n\ntext arXiv:1412.6980\n").all(), "3 text 1412.6980");
}

TEST(Document, ReadsPlainText) {
  EXPECT_EQ(plain("My Net\n\nThis is the code for our paper\n(arXiv:1706.03762).\n\nSee also "
                  "arXiv:1412.6980\n")
                .all(),
            "4 text 1706.03762 ; 6 text 1412.6980");
  EXPECT_EQ(plain("My Net\n\nThis is the code for our paper\n(arXiv:1706.03762).\n").judged(),
            "own: 1706.03762 cited:");
}

TEST(Document, ReadsBibtexFiles) {
  constexpr std::string_view kFile =
      "% arXiv:1412.6980\n@misc{a,\n title={A}, eprint={1706.03762}\n}\n";
  Told own, cited;
  read_bibtex_file(kFile, true, kNow, own);
  read_bibtex_file(kFile, false, kNow, cited);
  EXPECT_EQ(own.all(), "1 text 1412.6980 ; 3 bibtex 1706.03762");
  EXPECT_EQ(own.judged(), "own: 1706.03762 cited: 1412.6980");
  EXPECT_EQ(cited.judged(), "own: cited: 1412.6980 1706.03762");
}

TEST(Document, ReadsIdentifiersOfOtherText) {
  Told told;
  read_identifiers("a: 1\nb: https://arxiv.org/abs/1706.03762v2\n", 5, EvidenceKind::front_matter,
                   static_cast<Signs>(Sign::declared), kNow, told);
  EXPECT_EQ(told.all(), "6 front_matter 1706.03762v2");
  EXPECT_TRUE(has(told.mentions[0].signs, Sign::declared));
}

TEST(Document, CountsWhatItHasEnoughOf) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "arXiv:1706.03762\n\n";
  auto told = markdown(text);
  EXPECT_EQ(told.mentions.size(), 100U);
  EXPECT_FALSE(told.mentions[63].text.empty());
  EXPECT_TRUE(told.mentions[64].text.empty());
}

TEST(Document, SaysNothingOfNothing) {
  for (const char* text : {"", "\n", "# \n", "|", "<", "```", "<!--", "@", "[", "::"}) {
    EXPECT_EQ(markdown(text).all() + rest(text).all() + plain(text).all(), "");
  }
}

}  // namespace
}  // namespace tanggul::readers
