#include "readers/bibtex/bibtex.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::readers {
namespace {

// "article key author=A title=T" for each entry.
std::string entries(std::string_view text) {
  std::string out;
  read_bibtex(text, [&](const BibEntry& entry) {
    if (!out.empty()) out += " ; ";
    out += entry.type + " " + entry.key;
    for (const auto& [name, value] : entry.fields) out += " " + name + "=" + value;
  });
  return out;
}

std::size_t broken(std::string_view text) {
  return read_bibtex(text, [](const BibEntry&) {});
}

std::string ids(std::string_view text) {
  std::string out;
  read_bibtex(text, [&](const BibEntry& entry) {
    for (const auto& id : eprints(entry, {2026, 11})) {
      if (!out.empty()) out += ' ';
      out += id.canonical;
      if (id.version > 0) out += 'v' + std::to_string(id.version);
    }
  });
  return out;
}

TEST(Bibtex, ReadsAnEntry) {
  EXPECT_EQ(entries("@Article{vaswani2017,\n  Author = {A, B},\n  title={T}, year = 2017\n}"),
            "article vaswani2017 author=A, B title=T year=2017");
  EXPECT_EQ(entries("@misc(key, title = {T})"), "misc key title=T");
  EXPECT_EQ(entries("@inproceedings {a:b/c.d-1,}"), "inproceedings a:b/c.d-1");
}

TEST(Bibtex, ReadsNestedBracesAndQuotes) {
  EXPECT_EQ(entries("@a{k, t = {The {BERT} {{x}}}}"), "a k t=The {BERT} {{x}}");
  EXPECT_EQ(entries("@a{k, t = \"A {\"}quoted{\"} b\", u = {a \" b}}"),
            "a k t=A {\"}quoted{\"} b u=a \" b");
}

TEST(Bibtex, JoinsValues) {
  EXPECT_EQ(entries("@a{k, t = \"a\" # {b} # c, y = jan # 1}"), "a k t=abc y=jan1");
}

TEST(Bibtex, FoldsBlanks) { EXPECT_EQ(entries("@a{k,\n t = {a\n\t  b } }"), "a k t=a b"); }

TEST(Bibtex, LeavesOutStringsCommentsAndPreambles) {
  EXPECT_EQ(entries("@string{x = {y}} @comment{z} @preamble{\"p\"} @misc{k, a={1}}"), "misc k a=1");
}

TEST(Bibtex, ReadsAnEntryWithoutAKey) {
  EXPECT_EQ(entries("@misc{title = {T}, year = 1}"), "misc  title=T year=1");
  EXPECT_EQ(entries("@misc{, title = {T}}"), "misc  title=T");
}

TEST(Bibtex, TakesTheLastOfAFieldGivenTwice) {
  read_bibtex("@a{k, t={1}, t={2}}", [](const BibEntry& entry) {
    EXPECT_EQ(entry.field("t"), "2");
    EXPECT_EQ(entry.field("u"), "");
  });
}

TEST(Bibtex, TellsWhereAnEntryStands) {
  const std::string text = "see @misc{k, t={1}} and";
  read_bibtex(text, [&](const BibEntry& entry) {
    EXPECT_EQ(text.substr(entry.begin, entry.end - entry.begin), "@misc{k, t={1}}");
  });
}

TEST(Bibtex, ReadsABrokenEntryByItsLines) {
  const std::string text =
      "@a{first,\n  title = {Never {closed},\n  eprint={1706.03762},\n  year=2017\n}\n\n"
      "@b{second,\n  title = {S}\n}\n";
  EXPECT_EQ(entries(text),
            "a first title=Never closed eprint=1706.03762 year=2017 ; b second title=S");
  EXPECT_EQ(broken(text), 1U);
  EXPECT_EQ(broken("@a{k, t={1}}"), 0U);
  EXPECT_EQ(entries("@a{k, t = \"never\n u = {1}"), "a k t=never u=1");
}

TEST(Bibtex, ReadsATooLongEndAsText) {
  EXPECT_EQ(entries("@a{k, t={1}}} @b{l, u={2}}"), "a k t=1 ; b l u=2");
}

TEST(Bibtex, TakesAnAddressForNoEntry) {
  EXPECT_EQ(entries("mail a@b.c or @user (see x) or @decorator"), "");
  EXPECT_FALSE(has_bibtex("mail a@b.c, @user"));
  EXPECT_TRUE(has_bibtex("x @misc{"));
  EXPECT_TRUE(has_bibtex("@misc ("));
}

TEST(Bibtex, KeepsToItsBounds) {
  std::string many = "@a{k";
  for (int i = 0; i < 200; ++i)
    many += ", f" + std::to_string(i) + "={" + std::string(5000, 'x') + "}";
  read_bibtex(many + "}", [](const BibEntry& entry) {
    EXPECT_LE(entry.fields.size(), 64U);
    for (const auto& [name, value] : entry.fields) EXPECT_LE(value.size(), 2048U);
  });
}

TEST(Bibtex, FindsEprints) {
  EXPECT_EQ(ids("@a{k, eprint={1706.03762}, archivePrefix={arXiv}, primaryClass={cs.CL}}"),
            "1706.03762");
  EXPECT_EQ(ids("@a{k, eprint = \"1706.03762v5\", archiveprefix = \"arXiv\"}"), "1706.03762v5");
  EXPECT_EQ(ids("@a{k, eprint={1706.03762}}"), "1706.03762");
  EXPECT_EQ(ids("@a{k, eprint={1706.03762}, eprinttype={arxiv}, eprintclass={cs}}"), "1706.03762");
  EXPECT_EQ(ids("@a{k, eprint={arXiv:1706.03762}}"), "1706.03762");
  EXPECT_EQ(ids("@a{k, eprint={hep-th/9901001}}"), "hep-th/9901001");
  EXPECT_EQ(ids("@a{k, eprint={9901001}, primaryClass={hep-th}}"), "hep-th/9901001");
  EXPECT_EQ(ids("@a{k, eprint={0611800}, archivePrefix={arXiv}, primaryClass={math.CA}}"),
            "math/0611800");
}

TEST(Bibtex, FindsTheVolumesOfCorrAndArxiv) {
  EXPECT_EQ(ids("@a{k, journal={CoRR}, volume={1706.03762}}"), "1706.03762");
  EXPECT_EQ(ids("@a{k, journal={arXiv}, pages={1706.03762}}"), "1706.03762");
  EXPECT_EQ(ids("@a{k, journal={ArXiv e-prints}, eid={1706.03762}}"), "1706.03762");
  EXPECT_EQ(ids("@a{k, journal={Computing Research Repository}, number={1706.03762}}"),
            "1706.03762");
  EXPECT_EQ(ids("@a{k, howpublished={arXiv}, note={1706.03762}}"), "1706.03762");
  EXPECT_EQ(ids("@a{k, publisher={arXiv}, number={arXiv:1706.03762}}"), "1706.03762");
}

TEST(Bibtex, FindsNoIdOfAnotherArchive) {
  EXPECT_EQ(ids("@a{k, eprint={1706.03762}, archivePrefix={bioRxiv}}"), "");
  EXPECT_EQ(ids("@a{k, eprint={2020.12.15.422761}, journal={bioRxiv}}"), "");
  EXPECT_EQ(ids("@a{k, journal={bioRxiv}, volume={1706.03762}}"), "");
  EXPECT_EQ(ids("@a{k, journal={Nature}, volume={1706.03762}}"), "");
  EXPECT_EQ(ids("@a{k, eprint={https://www.pnas.org/1706.pdf}}"), "");
  EXPECT_EQ(ids("@a{k, journal={CoRR}, volume={1713.03762}}"), "");
}

TEST(Bibtex, NamesAnIdOnce) {
  EXPECT_EQ(
      ids("@a{k, eprint={1706.03762}, archivePrefix={arXiv}, journal={CoRR}, volume={1706.03762}}"),
      "1706.03762");
}

TEST(Bibtex, ReadsTitlesAsPeopleDo) {
  EXPECT_EQ(plain_title("{BERT}: Pre-training of {D}eep"), "BERT: Pre-training of Deep");
  EXPECT_EQ(plain_title("M\\\"uller \\& $x$~y"), "Muller  x y");
  EXPECT_EQ(plain_title("\\emph{a} \\textbf{b}"), "a b");
  EXPECT_EQ(plain_title("\\"), "\\");
}

TEST(Bibtex, EndsOnAnyText) {
  const auto piece =
      rc::gen::element<std::string>("@", "@a{", "@b(", "{", "}", "(", ")", "\"", "=", ",", "#",
                                    "\n", "key", " ", "\\", "1706.03762", "\n@c{");
  EXPECT_TRUE(rc::check("entries stand one behind the other", [&] {
    std::string text;
    for (const auto& p : *rc::gen::container<std::vector<std::string>>(piece)) text += p;
    std::size_t last = 0;
    read_bibtex(text, [&](const BibEntry& entry) {
      RC_ASSERT(entry.begin >= last && entry.end > entry.begin && entry.end <= text.size());
      last = entry.end;
    });
  }));
}

}  // namespace
}  // namespace tanggul::readers
