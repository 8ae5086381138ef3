#include "readers/arxiv/finder.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace tanggul::readers::arxiv {
namespace {

constexpr Month kNow{2026, 11};

// "1706.03762v5 math/0611800": what was found, in order, the same again left out.
std::string found_in(std::string_view text) {
  std::string all;
  arxiv::Id last;
  find(text, kNow, [&](Found&& found) {
    if (found.id == last) return true;
    last = found.id;
    if (!all.empty()) all += ' ';
    all += found.id.canonical;
    if (found.id.version > 0) all += 'v' + std::to_string(found.id.version);
    return true;
  });
  return all;
}

std::vector<Form> forms_in(std::string_view text) {
  std::vector<Form> forms;
  find(text, kNow, [&](Found&& found) {
    forms.push_back(found.form);
    return true;
  });
  return forms;
}

std::string with(std::string_view wrapper, std::string_view id) {
  std::string text(wrapper);
  for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += id.size())
    text.replace(at, 2, id);
  return text;
}

struct Written {
  const char *text, *found;
};

constexpr Written kNew[] = {{"0704.0123", "0704.0123"},
                            {"1412.6980v9", "1412.6980v9"},
                            {"1501.00001", "1501.00001"},
                            {"1706.03762", "1706.03762"},
                            {"1706.03762v15", "1706.03762v15"}};
constexpr Written kOld[] = {{"hep-th/9901001", "hep-th/9901001"},
                            {"math.CA/0611800v2", "math/0611800v2"},
                            {"math/0611800", "math/0611800"},
                            {"cond-mat.str-el/0703001", "cond-mat/0703001"},
                            {"astro-ph/9107001v3", "astro-ph/9107001v3"},
                            {"HEP-PH/0001234", "hep-ph/0001234"}};
constexpr Written kClassBeforeNew[] = {{"hep-th/1601.07616", "1601.07616"},
                                       {"cs.CL/1706.03762v5", "1706.03762v5"},
                                       {"stat.ML/1706.03762", "1706.03762"}};

// What makes any identifier one; "{}" is it.
constexpr const char* kAround[] = {
    "arXiv:{}",
    "arxiv:{}",
    "ARXIV:{}",
    "arXiv: {}",
    "ArXiv {}",
    "arXiv preprint arXiv:{}",
    "arXiv preprint {}",
    "arXiv e-print {}",
    "arXiv eprint: {}",
    "arXiv e-prints, arXiv:{}",
    "arXiv ID: {}",
    "arXiv identifier {}",
    "arXiv number: {}",
    "arXiv no. {}",
    "arXiv paper {}",
    "arXiv.org: {}",
    "arXiv/{}",
    "arXiv = {}",
    "arXiv #{}",
    "arXiv, {}",
    "arXiv ({}",
    "arXiv - {}",
    "arXiv – {}",
    "`arXiv:{}`",
    "**arXiv**: {}",
    "*arXiv:* {}",
    "__arXiv__ {}",
    "~arXiv~ {}",
    "[arXiv:{}]",
    "[[arXiv:{}]]",
    "[arXiv: {} [hep-lat]]",
    "[arXiv:{} [cs.CL]]",
    "arXiv | {}",
    "| arXiv | {} |",
    "arXiv:[{}](https://arxiv.org/abs/{})",
    "[arXiv](https://arxiv.org/abs/{})",
    "[arXiv:{}](http://arxiv.org/abs/{})",
    "[{}](https://arxiv.org/abs/{}) arXiv",
    "arXiv: <https://arxiv.org/pdf/{}>",
    "<a href=\"https://arxiv.org/abs/{}\">paper</a>",
    "<a href='http://arxiv.org/pdf/{}.pdf'>",
    "<a href=https://arxiv.org/abs/{}>",
    "<b>arXiv</b>: {}",
    "arXiv:<b>{}</b>",
    "arXiv: <a href=\"x\">{}</a>",
    "arXiv:<br>{}",
    "https://arxiv.org/abs/{}",
    "http://arxiv.org/abs/{}",
    "arxiv.org/abs/{}",
    "//arxiv.org/abs/{}",
    "https://www.arxiv.org/abs/{}",
    "http://export.arxiv.org/abs/{}",
    "https://de.arxiv.org/pdf/{}",
    "https://cn.arxiv.org/pdf/{}.pdf",
    "https://browse.arxiv.org/html/{}",
    "https://ARXIV.org/abs/{}",
    "HTTPS://ARXIV.ORG/ABS/{}",
    "https://arxiv.org/pdf/{}",
    "https://arxiv.org/pdf/{}.pdf",
    "https://arxiv.org/html/{}",
    "https://arxiv.org/ps/{}",
    "https://arxiv.org/src/{}",
    "https://arxiv.org/e-print/{}",
    "https://arxiv.org/format/{}",
    "https://arxiv.org/tb/{}",
    "https://arxiv.org/abs/{}?context=cs",
    "https://arxiv.org/abs/{}#x",
    "https://arxiv.org/pdf/{}.pdf#page=3",
    "https://arxiv.org/pdf/{}.pdf?download=1",
    "https://arxiv.org/abs/{}/",
    "https://arxiv.org/abs/arXiv:{}",
    "https://arxiv.org/abs//{}",
    "https://arxiv.org:443/abs/{}",
    "https://www.arxiv.org/pdf/{}.pdf",
    "https://web.archive.org/web/2020/https://arxiv.org/abs/{}",
    "https://scholar.example/?url=https%3A%2F%2Farxiv.org%2Fabs%2F{}",
    "http://xxx.lanl.gov/abs/{}",
    "http://xxx.lanl.gov/pdf/{}",
    "http://xxx.itp.ac.cn/abs/{}",
    "http://xxx.arxiv.org/abs/{}",
    "https://ar5iv.org/abs/{}",
    "https://ar5iv.org/html/{}",
    "https://ar5iv.labs.arxiv.org/html/{}",
    "https://www.alphaxiv.org/abs/{}",
    "https://alphaxiv.org/pdf/{}",
    "https://www.alphaxiv.org/overview/{}",
    "https://scirate.com/arxiv/{}",
    "https://www.arxiv-vanity.com/papers/{}/",
    "https://www.semanticscholar.org/arxiv/{}",
    "https://api.semanticscholar.org/arXiv:{}",
    "https://api.semanticscholar.org/graph/v1/paper/arXiv:{}",
    "https://inspirehep.net/abs/{}",
    "https://inspirehep.net/api/arxiv/{}",
    "https://ui.adsabs.harvard.edu/abs/arXiv:{}",
    "https://www.google.com/search?q=arXiv:{}",
    "http://arxiv.org/abs/{}:",
    "https://doi.org/10.48550/arXiv.{}",
    "https://doi.org/10.48550/ARXIV.{}",
    "doi:10.48550/arxiv.{}",
    "DOI: [10.48550/arXiv.{}](https://doi.org/10.48550/arXiv.{})",
    "https://dx.doi.org/10.48550%2FarXiv.{}",
    "doi = {10.48550/ARXIV.{}},",
    "@misc{https://doi.org/10.48550/arxiv.{},",
    "eprint = {arXiv:{}},",
    "eprint = \"arXiv:{}\"",
    "journal = {arXiv preprint arXiv:{}},",
    "journal={arXiv:{} [cs]},",
    "note = {arXiv: {}}",
    "url = {https://arxiv.org/abs/{}},",
    "url = \"http://arxiv.org/pdf/{}\",",
    "arxivId = {{}},",
    "arXivId: '{}'",
    "arxiv_id: {}",
    "arxiv-id={}",
    "\"arxiv\": \"{}\"",
    "\"arxiv_id\": \"{}\"",
    "%%CITATION = ARXIV:{};%%",
    "SLACcitation = \"%%CITATION = ARXIV:{};%%\"",
    "howpublished = {\\url{https://arxiv.org/abs/{}}},",
    "\\href{https://arxiv.org/abs/{}}{x}",
    "arXiv&#58;{}",
    "arXiv&#x3a;{}",
    "arXiv&colon;{}",
    "arXiv:&nbsp;{}",
    "arXiv&#160;{}",
    "arXiv\\:{}",
    "arXiv\\: {}",
    "\\[arXiv:{}\\]",
    "arXiv%3A{}",
    "arXiv%3A%20{}",
    "arXiv：{}",
    "arXiv： {}",
    "arXiv:\u200b{}",
    "arXiv:\ufeff{}",
    "arXiv\u00a0{}",
    "arXiv:\u00a0{}",
    "arXiv:\n{}",
    "arXiv\n{}",
    "arXiv preprint\narXiv:{}",
    "arXiv:\u2060{}",
    "arXiv:\u00ad{}",
    "arXiv:　{}",
    "（arXiv：{}",
    "论文 arXiv:{}",
    "論文はarXiv:{}",
    "arXiv〈{}",
    "CoRR, abs/{}",
    "arXiv:abs/{}",
    "corr abs/{}",
    "CoRR abs/{} (2017)",
    "`arxiv.org/abs/{}`",
    "arXiv reference: arXiv:{}",
    "![arXiv](https://img.shields.io/badge/arXiv-x-b31b1b)](https://arxiv.org/abs/{})"};

// Those of numbers with a dot alone.
constexpr const char* kAroundNew[] = {
    "{} [cs.CL]",
    "{} [stat.ML]",
    "{} [astro-ph.CO]",
    "{}  [hep-th]",
    "https://huggingface.co/papers/{}",
    "https://hf.co/papers/{}",
    "[paper](https://huggingface.co/papers/{})",
    "arxiv:{} (tag of a hub)",
    "- arxiv:{}",
    "https://papers.cool/arxiv/{}",
    "https://img.shields.io/badge/arXiv-{}-b31b1b.svg",
    "https://img.shields.io/badge/arXiv-{}-red",
    "https://img.shields.io/badge/arXiv-{}-b31b1b.svg?style=flat-square",
    "![arXiv](https://img.shields.io/badge/arXiv-{}-b31b1b.svg)",
    "[![arXiv](https://img.shields.io/badge/arXiv-{}-b31b1b.svg)](https://arxiv.org/abs/{})",
    "https://img.shields.io/badge/arXiv-Paper%20{}-b31b1b",
    "https://img.shields.io/badge/arXiv%20paper-{}-red",
    "https://img.shields.io/badge/Paper-arXiv%3A{}-blue",
    "https://img.shields.io/badge/Paper-arXiv%20{}-blue",
    "https://img.shields.io/badge/paper-arxiv.{}-B31B1B.svg",
    "https://img.shields.io/badge/arXiv:{}-red",
    "https://img.shields.io/badge/cs.CV-{}-b31b1b?logo=arxiv&logoColor=red",
    "https://img.shields.io/badge/cs.CL-arXiv%3A{}-B31B1B.svg",
    "https://img.shields.io/badge/cs.LG-arxiv:{}-b31b1b",
    "https://img.shields.io/static/v1?label=arXiv&message={}&color=b31b1b",
    "https://img.shields.io/badge/Paper-{}-b31b1b?logo=arxiv",
    "https://img.shields.io/badge/ArXiv-{}-%23B31B1B",
    "http://img.shields.io/badge/arXiv-{}-orange.svg?style=flat",
    "https://img.shields.io/badge/DOI-10.48550%2FarXiv.{}-blue",
    "https://badgen.net/badge/arXiv/{}/red",
    "https://badges.example/arXiv/{}.svg",
    "https://img.shields.io/badge/arxiv-{}-yellow?labelColor=x",
    "https://www.emergentmind.com/papers/{}",
    "https://arxiv-sanity-lite.com/?rank=pid&pid={}"};

// An old one says by itself what it is.
constexpr const char* kAroundOld[] = {"{}",
                                      "[{}]",
                                      "see {} for",
                                      "eprint = \"{}\",",
                                      "({}; a)",
                                      "eprint         = {{}},",
                                      "%%CITATION = {};%%",
                                      "`{}`",
                                      "https://inspirehep.net/search?p=find+eprint+{}"};

constexpr const char* kBefore[] = {"",
                                   " ",
                                   "(",
                                   "[",
                                   "**",
                                   "_",
                                   "> ",
                                   "- ",
                                   "「",
                                   "（",
                                   "see ",
                                   "10.1145/3581784.3613215 ",
                                   "doi:10.1109/TASLP.2021.3124365, ",
                                   "3.14159 ",
                                   "1234.5678 ",
                                   "v1.0.1 ",
                                   "2017-06-12 ",
                                   "6f0a1706 ",
                                   "![x](image_0012.34567.png) ",
                                   "1706.12345\n",
                                   "bioRxiv and ",
                                   "(2017) ",
                                   "№ ",
                                   "\\* "};
constexpr const char* kBehind[] = {"",          " ",
                                   ".",         ",",
                                   ";",         ":",
                                   ")",         "]",
                                   "}",         "*",
                                   "**",        "_",
                                   ">",         "\"",
                                   "'",         "<br>",
                                   "</a>",      "」",
                                   "、",        "。",
                                   "）",        "，",
                                   "\n",        "…",
                                   "|",         "`",
                                   "\\",        "&nbsp;",
                                   "!",         "?",
                                   " (2017)",   ". 2021 was",
                                   "), 2017",   " 10.1145/3581784.3613215",
                                   " 0.12345",  " 2.1.0",
                                   ". 3.14159", "\n\n1801.01234",
                                   "’s",        " – 12",
                                   ".\n",       "\t1",
                                   ")**",       "](x)",
                                   "}}",        "#",
                                   "/"};

// Of each group the first failure, and how many there are.
class Failures {
 public:
  void expect(std::string_view group, const std::string& text, const std::string& expected) {
    ++looked_;
    const std::string got = found_in(text);
    if (got == expected) return;
    auto& group_of = groups_[std::string(group)];
    if (++group_of.times == 1)
      group_of.first = "[" + text + "] gives [" + got + "], not [" + expected + "]";
  }
  std::string all() const {
    std::string out;
    for (const auto& [name, group] : groups_)
      out += std::to_string(group.times) + " times: " + group.first + "\n";
    return out;
  }
  std::size_t looked() const { return looked_; }

 private:
  struct Group {
    std::size_t times = 0;
    std::string first;
  };
  std::map<std::string, Group> groups_;
  std::size_t looked_ = 0;
};

void try_each(std::string_view wrapper, const Written& id, Failures& failures) {
  const std::string text = with(wrapper, id.text);
  for (const char* before : kBefore)
    for (const char* behind : kBehind) failures.expect(wrapper, before + text + behind, id.found);
}

TEST(ArxivFinder, FindsEveryFormInAllThatStandsAroundIt) {
  Failures failures;
  for (const char* wrapper : kAround) {
    for (const Written& id : kNew) try_each(wrapper, id, failures);
    for (const Written& id : kOld) try_each(wrapper, id, failures);
    if (std::string_view(wrapper).find("48550") != std::string_view::npos) continue;
    for (const Written& id : kClassBeforeNew) try_each(wrapper, id, failures);
  }
  for (const char* wrapper : kAroundNew)
    for (const Written& id : kNew) try_each(wrapper, id, failures);
  for (const char* wrapper : kAroundOld) {
    for (const Written& id : kOld) try_each(wrapper, id, failures);
    for (const Written& id : kClassBeforeNew) try_each(wrapper, id, failures);
  }
  EXPECT_EQ(failures.all(), "");
  EXPECT_GT(failures.looked(), 1'000'000U);
}

TEST(ArxivFinder, FindsNothingInvalidHoweverItIsWrapped) {
  constexpr const char* kInvalid[] = {
      "1700.03762",   "1713.03762",  "1706.3762",   "1412.69801",   "1706.00000", "0704.0000",
      "0703.0123",    "1706.037621", "1706.037",    "2612.00001",   "2701.12345", "9912.12345",
      "1706.03762v0", "17060.3762",  "11706.03762", "1706.03762.1", "1706,03762", "1706.03762x"};
  constexpr const char* kInvalidOld[] = {
      "hep-th/0704001",   "hep-th/9913001",   "hep-th/9900001",  "hep-th/9106001", "hep-th/9901000",
      "hep-th/99010011",  "hep-th/990100",    "foo-bar/9901001", "econ/0601001",   "foo.CA/0611800",
      "hep-th/9901001v0", "hep-th/9901001.5", "hep-th/9901001b"};
  Failures failures;
  const auto try_all = [&failures](std::string_view wrapper, std::string_view id) {
    const std::string text = with(wrapper, id);
    for (const char* behind : {"", " ", ")", "]", "}", "*", "_", "\"", "<br>", "。", "\n"})
      failures.expect(wrapper, text + behind, "");
  };
  for (const char* wrapper : kAround) {
    for (const char* id : kInvalid) try_all(wrapper, id);
    for (const char* id : kInvalidOld) try_all(wrapper, id);
  }
  for (const char* wrapper : kAroundNew)
    for (const char* id : kInvalid) try_all(wrapper, id);
  for (const char* wrapper : kAroundOld)
    for (const char* id : kInvalidOld) try_all(wrapper, id);
  EXPECT_EQ(failures.all(), "");
}

TEST(ArxivFinder, TakesNoNumberWithoutASign) {
  for (const char* text : {"1706.03762",
                           "(1706.03762)",
                           "3.14159 and 1706.03762",
                           "accuracy 2012.12345",
                           "bioRxiv 1706.03762",
                           "biorxiv:1706.03762",
                           "https://notarxiv.org/abs/1706.03762",
                           "https://arxiv.org.example.com/abs/1706.03762",
                           "https://arxiv.org@example.com/abs/1706.03762",
                           "medRxiv:1706.03762",
                           "myarxiv:1706.03762",
                           "https://notarxiv.org/abs1/1706.03762",
                           "https://notarxiv.org/pdf/1706.03762",
                           "https://arxiv.org.evil.com/pdf/1706.03762",
                           "https://evil.com/pdf/1706.03762",
                           "https://arxiv-org.example/pdf/1706.03762",
                           "10.1145/3581784.3613215",
                           "https://doi.org/10.1145/2623330.2623677",
                           "10.1109/TASLP.2021.3124365",
                           "10.1145/1706.03762",
                           "https://doi.org/10.1145/1706.03762",
                           "10.1101/2020.12.15.422761",
                           "doi:10.1000/hep-th/9901001",
                           "version 1706.03762",
                           "2017-06-12",
                           "1706-03762",
                           "https://github.com/a/b/issues/1706.03762",
                           "image_1706.03762.png",
                           "commit 1706037626f",
                           "https://huggingface.co/datasets/1706.03762",
                           "https://huggingface.co/a/papers1/1706.03762",
                           "https://api.semanticscholar.org/CorpusID:9901001",
                           "CorpusID:13756489",
                           "models/9901001",
                           "https://img.shields.io/badge/version-1706.03762-blue",
                           "[1706.03762]",
                           "page/0611800",
                           "https://img.shields.io/badge/downloads-1706.03762-blue",
                           "1706.03762 [GeV]",
                           "1706.03762 [1]",
                           "1706.03762 (cs.CL)",
                           "arXiv\n\n1706.03762",
                           "arXiv papers since 1706.03762",
                           "https://openreview.net/forum?id=1706.03762",
                           "ISBN 1706.03762",
                           "1706.03762v2"})
    EXPECT_EQ(found_in(text), "") << text;
}

TEST(ArxivFinder, TakesNoDoiOfAnotherForOne) {
  EXPECT_EQ(found_in("arXiv:1706.03762, doi:10.1145/3581784.3613215"), "1706.03762");
  EXPECT_EQ(found_in("10.1145/3581784.3613215, arXiv:1706.03762"), "1706.03762");
  EXPECT_EQ(found_in("[10.1145/1706.03762](https://doi.org/10.1145/1706.03762)"), "");
  EXPECT_EQ(found_in("https://doi.org/10.5281/zenodo.1706.03762"), "");
}

TEST(ArxivFinder, GoesOnThroughLists) {
  EXPECT_EQ(found_in("arXiv:1706.03762, 1412.6980 and 2301.00001"),
            "1706.03762 1412.6980 2301.00001");
  EXPECT_EQ(found_in("arXiv: 1706.03762; 1412.6980v2; 0704.0123"),
            "1706.03762 1412.6980v2 0704.0123");
  EXPECT_EQ(found_in("arXiv:1706.03762,1412.6980"), "1706.03762 1412.6980");
  EXPECT_EQ(found_in("arXiv:1706.03762 & 1412.6980"), "1706.03762 1412.6980");
  EXPECT_EQ(found_in("arXiv:1706.03762, hep-th/9901001 or 1412.6980"),
            "1706.03762 hep-th/9901001 1412.6980");
  EXPECT_EQ(found_in("arXiv:1706.03762 1412.6980"), "1706.03762");
  EXPECT_EQ(found_in("arXiv:1706.03762, 1412.6980abc"), "1706.03762");
  EXPECT_EQ(found_in("arXiv:1706.03762, which gives 1412.6980"), "1706.03762");
}

TEST(ArxivFinder, ReadsBibcodesAndKeysOfDblp) {
  EXPECT_EQ(found_in("https://ui.adsabs.harvard.edu/abs/2017arXiv170603762V/abstract"),
            "1706.03762");
  EXPECT_EQ(found_in("@ARTICLE{2017arXiv170603762V,"), "1706.03762");
  EXPECT_EQ(found_in("2014arXiv1412.6980K"), "1412.6980");
  EXPECT_EQ(found_in("https://dblp.org/rec/journals/corr/abs-1706-03762"), "1706.03762");
  EXPECT_EQ(found_in("@article{DBLP:journals/corr/abs-1706-03762,"), "1706.03762");
  EXPECT_EQ(found_in("2017xxxxx170603762V"), "");
  EXPECT_EQ(found_in("170603762V"), "");
}

TEST(ArxivFinder, UndoesWhatABadgeDoublesAndAUrlEncodes) {
  EXPECT_EQ(found_in("https://img.shields.io/badge/arXiv-hep--th%2F9901001-b31b1b"),
            "hep-th/9901001");
  EXPECT_EQ(found_in("https://img.shields.io/badge/arXiv-hep--th/9901001-b31b1b"),
            "hep-th/9901001");
  EXPECT_EQ(found_in("https://img.shields.io/badge/arXiv-math.CA/0611800-b31b1b"), "math/0611800");
  EXPECT_EQ(found_in("https://img.shields.io/badge/arXiv-1706%2E03762-b31b1b"), "1706.03762");
  EXPECT_EQ(found_in("https://arxiv.org/abs/hep-th%2F9901001"), "hep-th/9901001");
  EXPECT_EQ(found_in("arXiv:1706\\.03762"), "1706.03762");
}

TEST(ArxivFinder, TellsTheForm) {
  EXPECT_EQ(forms_in("https://arxiv.org/abs/1706.03762"), std::vector{Form::link});
  EXPECT_EQ(forms_in("https://huggingface.co/papers/1706.03762"), std::vector{Form::link});
  EXPECT_EQ(forms_in("https://arxiv.org/abs/hep-th/9901001"), std::vector{Form::link});
  EXPECT_EQ(forms_in("arXiv:1706.03762"), std::vector{Form::text});
  EXPECT_EQ(forms_in("hep-th/9901001"), std::vector{Form::text});
  EXPECT_EQ(forms_in("https://doi.org/10.48550/arXiv.1706.03762"), std::vector{Form::doi});
  EXPECT_EQ(forms_in("https://img.shields.io/badge/arXiv-1706.03762-b31b1b"),
            std::vector{Form::badge});
}

TEST(ArxivFinder, FindsAnIdentifierAtEveryPlaceOfATextBehindAnyByte) {
  for (std::size_t before = 0; before < 20; ++before)
    for (const char c : {'/', ':', ' ', '%', '\x7f', '\xb1', '\xe9'}) {
      const std::string text = std::string(before, c) + " arXiv:1706.03762";
      std::vector<std::size_t> places;
      arxiv::find(text, kNow, [&places](Found&& found) {
        places.push_back(found.begin);
        return true;
      });
      EXPECT_EQ(places, std::vector<std::size_t>{before + 7}) << text;
    }
}

TEST(ArxivFinder, TellsWhereTheNumberStands) {
  const std::string text =
      "see https://arxiv.org/pdf/math.CA/0611800v2.pdf and arXiv:1706.03762v5.";
  std::vector<std::string> seen;
  find(text, kNow, [&](Found&& found) {
    seen.push_back(text.substr(found.begin, found.end - found.begin));
    return true;
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"0611800v2", "1706.03762v5"}));
}

TEST(ArxivFinder, StopsWhenItIsTold) {
  int seen = 0;
  find("arXiv:1706.03762 arXiv:1412.6980", kNow, [&](Found&&) { return ++seen < 1; });
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(has_id("arXiv:1706.03762", kNow));
  EXPECT_FALSE(has_id("1706.03762", kNow));
}

TEST(ArxivFinder, ANameThatEndsInArxivIsNotArxiv) {
  std::vector<std::string> found;
  find("on ogbn-arxiv 1706.03762, of arXiv 1512.03385", {2026, 11}, [&found](Found&& one) {
    found.push_back(one.id.canonical);
    return true;
  });
  EXPECT_EQ(found, std::vector<std::string>{"1512.03385"});
}

}  // namespace
}  // namespace tanggul::readers::arxiv
