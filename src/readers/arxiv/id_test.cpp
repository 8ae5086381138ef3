#include "readers/arxiv/id.h"

#include <gtest/gtest.h>

#include <string>

namespace tanggul::readers::arxiv {
namespace {

constexpr Month kNow{2026, 11};

std::string canonical(std::string_view text) {
  const auto id = parse(text, kNow);
  return id ? id->canonical : "none";
}

unsigned version(std::string_view text) {
  const auto id = parse(text, kNow);
  return id ? id->version : 9999;
}

constexpr std::string_view kArchives[] = {
    "acc-phys", "adap-org", "alg-geom", "ao-sci",   "astro-ph", "atom-ph",  "bayes-an",
    "chao-dyn", "chem-ph",  "cmp-lg",   "comp-gas", "cond-mat", "cs",       "dg-ga",
    "funct-an", "gr-qc",    "hep-ex",   "hep-lat",  "hep-ph",   "hep-th",   "math",
    "math-ph",  "mtrl-th",  "nlin",     "nucl-ex",  "nucl-th",  "patt-sol", "physics",
    "plasm-ph", "q-alg",    "q-bio",    "quant-ph", "solv-int", "supr-con"};

TEST(ArxivId, CountsTheNewSchemesDigitsByTheDate) {
  EXPECT_EQ(canonical("0704.0001"), "0704.0001");
  EXPECT_EQ(canonical("1412.9999"), "1412.9999");
  EXPECT_EQ(canonical("1501.00001"), "1501.00001");
  EXPECT_EQ(canonical("2611.99999"), "2611.99999");
  for (const char* wrong : {"0704.00001", "1412.00001", "1501.0001", "1706.3762", "1706.037620",
                            "1706.376", "1706.", "1706", "1234.12345"})
    EXPECT_EQ(canonical(wrong), "none") << wrong;
}

TEST(ArxivId, BeginsTheNewSchemeInApril2007) {
  for (const char* early : {"0703.0001", "0701.1234", "0612.1234", "0001.0001", "9912.1234"})
    EXPECT_EQ(canonical(early), "none") << early;
}

TEST(ArxivId, KnowsTwelveMonths) {
  for (int month = 0; month < 100; ++month) {
    const std::string mm = std::to_string(month / 10) + std::to_string(month % 10);
    const bool valid = month >= 1 && month <= 12;
    EXPECT_EQ(parse("20" + mm + ".00001", kNow).has_value(), valid) << mm;
    EXPECT_EQ(parse("hep-th/99" + mm + "001", kNow).has_value(), valid) << mm;
  }
}

TEST(ArxivId, NeverHasANumberOfZero) {
  for (const char* zero : {"0704.0000", "1706.00000", "hep-th/9901000"})
    EXPECT_EQ(canonical(zero), "none") << zero;
}

TEST(ArxivId, IsOfNoMonthToCome) {
  EXPECT_TRUE(parse("2611.00001", kNow));
  EXPECT_FALSE(parse("2612.00001", kNow));
  EXPECT_FALSE(parse("2701.00001", kNow));
  EXPECT_TRUE(parse("2701.00001")) << "without a month of now any is taken";
}

TEST(ArxivId, ReadsTheOldSchemeFromJuly1991ToMarch2007) {
  for (const char* good : {"9107001", "9112001", "9201001", "9912999", "0001001", "0703999"})
    EXPECT_EQ(canonical("hep-th/" + std::string(good)), "hep-th/" + std::string(good)) << good;
  for (const char* bad : {"9106001", "9101001", "9012001", "0704001", "0801001", "2001001",
                          "990100", "99010010", "9901", "99O1001"})
    EXPECT_EQ(canonical("hep-th/" + std::string(bad)), "none") << bad;
}

TEST(ArxivId, KnowsEveryArchiveThatNamedPapers) {
  for (const std::string_view archive : kArchives) {
    EXPECT_TRUE(is_archive(archive)) << archive;
    EXPECT_TRUE(is_category(archive)) << archive;
    const std::string id = std::string(archive) + "/9901001";
    EXPECT_EQ(canonical(id), id);
  }
  for (const char* other : {"eess", "econ", "q-fin", "biorxiv", "stat", "hepth", "math-", "", "c"})
    EXPECT_EQ(canonical(std::string(other) + "/9901001"), "none") << other;
}

TEST(ArxivId, KnowsCategoriesThatNeverNamedPapers) {
  for (const char* category : {"cs.CL", "stat.ML", "eess.IV", "econ.EM", "q-fin.ST", "q-bio.NC",
                               "astro-ph.CO", "cond-mat.dis-nn", "math.AG", "physics.comp-ph"})
    EXPECT_TRUE(is_category(category)) << category;
  for (const char* other : {"cs.", "cs.1", "foo.CL", ".CL", "", "css.CL"})
    EXPECT_FALSE(is_category(other)) << other;
}

TEST(ArxivId, DropsTheClass) {
  EXPECT_EQ(canonical("math.CA/0611800"), "math/0611800");
  EXPECT_EQ(canonical("cond-mat.str-el/0611800v2"), "cond-mat/0611800");
  EXPECT_EQ(canonical("hep-th/1601.07616"), "1601.07616");
  EXPECT_EQ(canonical("cs.CL/1706.03762v5"), "1706.03762");
  EXPECT_EQ(canonical("stat.ML/1706.03762"), "1706.03762");
  EXPECT_EQ(canonical("foo/1706.03762"), "none");
}

TEST(ArxivId, ReadsAnyCaseAndWritesTheArchiveLow) {
  EXPECT_EQ(canonical("HEP-TH/9901001"), "hep-th/9901001");
  EXPECT_EQ(canonical("ARXIV:1706.03762V3"), "1706.03762");
  EXPECT_EQ(canonical("arXiv:math/0611800"), "math/0611800");
}

TEST(ArxivId, TellsTheVersion) {
  EXPECT_EQ(version("1706.03762"), 0U);
  EXPECT_EQ(version("1706.03762v1"), 1U);
  EXPECT_EQ(version("1706.03762v12"), 12U);
  EXPECT_EQ(version("math.CA/0611800v2"), 2U);
  EXPECT_EQ(version("solv-int/9901001"), 0U) << "the v of an archive is none";
  for (const char* bad : {"1706.03762v0", "1706.03762v01", "1706.03762v1234", "1706.03762v"})
    EXPECT_EQ(canonical(bad), "none") << bad;
}

TEST(ArxivId, TakesNothingElse) {
  for (const char* other :
       {"", "v", "v1", "/", "arXiv:", "1706-03762", "1706.03762 ", " 1706.03762", "1706.O3762",
        "https://arxiv.org/abs/1706.03762", "1706.03762.pdf", "hep-th/", "/9901001"})
    EXPECT_EQ(canonical(other), "none") << other;
  EXPECT_EQ(canonical(std::string(1 << 20, '1')), "none");
}

}  // namespace
}  // namespace tanggul::readers::arxiv
