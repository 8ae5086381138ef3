#include "readers/text/decoder.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"

namespace tanggul::readers {
namespace {

using namespace std::string_literals;

std::string utf16(std::u16string_view units, bool little) {
  std::string bytes;
  for (const char16_t unit : units) {
    const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8);
    bytes += little ? low : high;
    bytes += little ? high : low;
  }
  return bytes;
}

Encoding encoding_of(std::string_view bytes) {
  Decoder decoder;
  decoder.feed(bytes);
  decoder.finish();
  return decoder.encoding();
}

struct Finished {
  std::string text;
  std::uint64_t bytes_read;
};
Finished finish(std::string_view bytes, bool cut) {
  Decoder decoder;
  decoder.feed(bytes);
  std::string text = decoder.finish(cut);
  return {std::move(text), decoder.bytes_read()};
}

TEST(Decoder, KeepsUtf8AsItIs) {
  EXPECT_EQ(decode("# Título\n日本語 😀\n"), "# Título\n日本語 😀\n");
  EXPECT_EQ(decode(""), "");
}

TEST(Decoder, DropsTheMarkOfUtf8) {
  EXPECT_EQ(decode("\xef\xbb\xbf# A\n"), "# A\n");
  EXPECT_EQ(decode("\xef\xbb\xbf"), "");
}

TEST(Decoder, ReadsUtf16ByItsMark) {
  const std::u16string_view text = u"# Título 日本語 😀\n";
  for (const bool little : {true, false}) {
    const std::string bytes = utf16(u"\xfeff" + std::u16string(text), little);
    EXPECT_EQ(decode(bytes), "# Título 日本語 😀\n");
    EXPECT_EQ(encoding_of(bytes), little ? Encoding::utf16_le : Encoding::utf16_be);
  }
}

TEST(Decoder, ReadsUtf16WithoutAMarkByItsZeros) {
  for (const bool little : {true, false}) {
    EXPECT_EQ(decode(utf16(u"# Title\n", little)), "# Title\n");
    EXPECT_EQ(decode(utf16(u"Título à é\n", little)), "Título à é\n");
    EXPECT_EQ(decode(utf16(u"论文: 1706.03762 (注意力机制)\n", little)),
              "论文: 1706.03762 (注意力机制)\n");
  }
}

TEST(Decoder, TakesAFewNulsForNoSignOfUtf16) {
  EXPECT_EQ(decode("one\0two three four five six\n"s), "one\xef\xbf\xbdtwo three four five six\n");
  EXPECT_EQ(encoding_of("a\0b\0\0c\0d and so on"s), Encoding::utf8);
}

TEST(Decoder, ReadsHalfASurrogatePairAsAReplacement) {
  const std::u16string high = u"a\xd83dz", low = u"a\xde00z", twice = u"a\xd83d\xd83d\xde00z";
  for (const bool little : {true, false}) {
    EXPECT_EQ(decode(utf16(u"\xfeff" + high, little)), "a\xef\xbf\xbdz");
    EXPECT_EQ(decode(utf16(u"\xfeff" + low, little)), "a\xef\xbf\xbdz");
    EXPECT_EQ(decode(utf16(u"\xfeff" + twice, little)), "a\xef\xbf\xbd😀z");
    EXPECT_EQ(decode(utf16(u"\xfeff"
                           u"a\xd83d",
                           little)),
              "a\xef\xbf\xbd");
    EXPECT_EQ(decode(utf16(u"\xfeff"
                           u"a",
                           little) +
                     "b"),
              "a\xef\xbf\xbd");
  }
}

TEST(Decoder, ReadsBytesOfNoCharacterAsWindows1252) {
  EXPECT_EQ(decode("caf\xe9 \x93quoted\x94 \x80 5\n"), "café “quoted” € 5\n");
  EXPECT_EQ(decode("caf\xe9 beside café"), "café beside café");
  EXPECT_EQ(decode("\x81 \xc0\xaf \xed\xa0\x80 \xf5"), "\xc2\x81 À¯ í\xc2\xa0€ õ");
}

TEST(Decoder, ReadsACutCharacterAtTheEndByteByByte) {
  EXPECT_EQ(decode("a\xe6\x97"), "aæ—");
  EXPECT_EQ(decode("a\xf0\x9f\x98"), "aðŸ˜");
  EXPECT_EQ(decode("a\xc3"), "aÃ");
}

TEST(Decoder, MakesEveryLineEndANewline) {
  EXPECT_EQ(decode("a\r\nb\rc\nd\r\r\n\n\re"), "a\nb\nc\nd\n\n\n\ne");
  EXPECT_EQ(decode("é\r\né\ré\r"), "é\né\né\n");
  for (const bool little : {true, false})
    EXPECT_EQ(decode(utf16(u"\xfeff"
                           u"a\r\nb\rc\n",
                           little)),
              "a\nb\nc\n");
}

TEST(Decoder, ReplacesNuls) {
  EXPECT_EQ(decode("id 1706.\0"s
                   "03762 and more text\n"),
            "id 1706.\xef\xbf\xbd"
            "03762 and more text\n");
}

TEST(Decoder, DropsTheUnfinishedLineOfACutFile) {
  EXPECT_EQ(finish("one\ntwo\nthr", true).text, "one\ntwo\n");
  EXPECT_EQ(finish("one\ntwo\nthr", true).bytes_read, 8U);
  EXPECT_EQ(finish("one\ntwo\nthr", false).text, "one\ntwo\nthr");
  EXPECT_EQ(finish("one\ntwo\nthr", false).bytes_read, 11U);
  EXPECT_EQ(finish("a single line", true).text, "a single line");
  EXPECT_EQ(finish("one\nt\xe6\x97", true).text, "one\n");
  EXPECT_EQ(finish(utf16(u"\xfeff"
                         u"one\ntw",
                         true),
                   true)
                .text,
            "one\n");
  EXPECT_EQ(finish(utf16(u"\xfeff"
                         u"one\ntw",
                         true),
                   true)
                .bytes_read,
            10U);
}

// Bytes as files have them: pieces of every encoding, marks, ends of lines and rubbish.
rc::Gen<std::string> bytes() {
  const auto piece = rc::gen::element(
      "a"s, "| x |"s, "\n"s, "\r"s, "\r\n"s, "é"s, "日本"s, "😀"s, "\0"s, "a\0"s, "\0b"s,
      "\xef\xbb\xbf"s, "\xff\xfe"s, "\xfe\xff"s, "\xe9"s, "\x93"s, "\xf0\x9f"s, "\x98\x80"s,
      "\xed\xa0"s, "\xd8\x3d"s, "\x3d\xd8"s, "\xde\x00"s, "1706.03762"s, std::string(700, 'x'));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string all;
                        for (const auto& p : pieces) all += p;
                        return all;
                      });
}

TEST(Decoder, GivesTheSameTextHoweverTheBytesAreCut) {
  EXPECT_TRUE(rc::check("pieces are as good as the whole", [] {
    const std::string all = *bytes();
    Decoder decoder;
    for (std::string_view rest = all; !rest.empty();) {
      const auto most = *rc::gen::element<std::size_t>(3, 9000);
      const auto piece = *rc::gen::inRange<std::size_t>(1, most);
      decoder.feed(rest.substr(0, piece));
      rest.remove_prefix(std::min(piece, rest.size()));
    }
    RC_ASSERT(decoder.bytes_read() == all.size());
    RC_ASSERT(decoder.finish() == decode(all));
  }));
}

TEST(Decoder, TellsToTheByteHowMuchOfACutFileItsTextIs) {
  EXPECT_EQ(finish("\xe9\n\xe9\0x\nt\xe9\0\xe9"s, true).bytes_read, 6U);
  EXPECT_EQ(finish(utf16(u"\xfeff日\n😀é本", false), true).bytes_read, 6U);
  EXPECT_TRUE(rc::check("that many bytes make the same text", [] {
    const std::string all = *bytes();
    const auto [text, read] = finish(all, true);
    const std::string whole = all.substr(0, read);
    RC_PRE(encoding_of(whole) == encoding_of(all));
    RC_ASSERT(decode(whole) == text);
  }));
}

TEST(Decoder, GivesValidUtf8OfAtMostThreeTimesTheBytes) {
  EXPECT_TRUE(rc::check("any bytes become text", [] {
    const std::string all = *bytes(), text = decode(all);
    RC_ASSERT(is_utf8(text));
    RC_ASSERT(text.size() <= 3 * all.size());
    RC_ASSERT(text.find('\r') == text.npos && text.find('\0') == text.npos);
  }));
}

}  // namespace
}  // namespace tanggul::readers
