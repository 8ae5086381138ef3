#include "readers/text/phrase_set.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tanggul::readers {
namespace {

constexpr std::string_view kPhrases[] = {"cite", "our paper", "abab", "baba!", "引用", "to [x]"};

const PhraseSet& phrases() {
  static const PhraseSet kSet("cite|our paper|abab|baba!|引用|to [x]");
  return kSet;
}

std::string to_upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return text;
}

bool searched(const std::string& text) {
  for (const std::string_view phrase : kPhrases)
    if (text.find(phrase) != std::string::npos) return true;
  return false;
}

TEST(PhraseSet, FindsEachPhraseAtEveryPlaceOfATextOfAnyLength) {
  for (const std::string_view phrase : kPhrases)
    for (std::size_t before = 0; before < 9; ++before)
      for (std::size_t behind = 0; behind < 9; ++behind) {
        const std::string text =
            std::string(before, '.') + std::string(phrase) + std::string(behind, '.');
        EXPECT_TRUE(phrases().in(text)) << text;
        EXPECT_TRUE(phrases().in_any_case(to_upper(text))) << text;
        EXPECT_FALSE(phrases().in(text.substr(0, before + phrase.size() - 1))) << text;
      }
}

TEST(PhraseSet, FindsWhatASearchForEachFinds) {
  std::mt19937 random(1);
  constexpr std::string_view kLetters = "abcite! [ourpe]x";
  std::size_t with = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::string text;
    const std::size_t letters = round % 2 == 0 ? 2 : kLetters.size();
    for (std::size_t n = random() % 24; n > 0; --n) text += kLetters[random() % letters];
    with += searched(text) ? 1 : 0;
    ASSERT_EQ(phrases().in(text), searched(text)) << text;
    ASSERT_EQ(phrases().in_any_case(text), searched(text)) << text;
  }
  EXPECT_GT(with, 1000U);
}

TEST(PhraseSet, CaseMattersUnlessItIsSaidNotTo) {
  EXPECT_FALSE(phrases().in("Cite"));
  EXPECT_TRUE(phrases().in_any_case("Please CITE us"));
  EXPECT_FALSE(phrases().in_any_case("to {x}"));  // of one hash with '['
}

}  // namespace
}  // namespace tanggul::readers
