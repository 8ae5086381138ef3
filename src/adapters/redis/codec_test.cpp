#include "adapters/redis/codec.h"

#include <gtest/gtest.h>

namespace tanggul::redis {
namespace {

using namespace std::string_view_literals;
using Next = ReplyReader::Next;

TEST(RedisCodec, WritesCommandsWithAnyByte) {
  const std::string_view words[] = {"SET", "a\0b"sv, ""};
  EXPECT_EQ(Encoded(words).bytes(), "*3\r\n$3\r\nSET\r\n$3\r\na\0b\r\n$0\r\n\r\n"sv);
  std::vector<std::string_view> many(100, "x");
  EXPECT_TRUE(Encoded(many).bytes().starts_with("*100\r\n$1\r\nx\r\n"));
}

TEST(RedisCodec, ReadsEveryKindInPieces) {
  const std::string_view stream =
      "+OK\r\n-ERR no\r\n:-42\r\n$-1\r\n*-1\r\n$3\r\na\0b\r\n"
      "*3\r\n:1\r\n*2\r\n$1\r\nx\r\n$-1\r\n*0\r\n"sv;
  ReplyReader reader;
  std::vector<Reply> all;
  for (const char c : stream) {
    reader.feed({&c, 1});
    Reply reply;
    while (reader.next(reply) == Next::reply) all.push_back(std::move(reply));
  }
  ASSERT_EQ(all.size(), 7u);
  EXPECT_TRUE(all[0].is(Reply::Kind::status) && all[0].text == "OK");
  EXPECT_TRUE(all[1].error() && all[1].text == "ERR no");
  EXPECT_EQ(all[2].number, -42);
  EXPECT_TRUE(all[3].is(Reply::Kind::nil) && all[4].is(Reply::Kind::nil));
  EXPECT_EQ(all[5].text, std::string("a\0b", 3));
  EXPECT_EQ(all[6].integer(0), 1);
  EXPECT_EQ(all[6].at(1).at(0).text, "x");
  EXPECT_TRUE(all[6].at(1).at(1).is(Reply::Kind::nil));
  EXPECT_TRUE(all[6].at(2).is(Reply::Kind::array) && all[6].at(2).items.empty());
  EXPECT_TRUE(all[6].at(9).is(Reply::Kind::nil));
}

TEST(RedisCodec, EndsAtWhatIsNoReplyAndAtWhatIsTooMuch) {
  std::string nested;
  for (int i = 0; i < 20; ++i) nested += "*1\r\n";
  std::string wide;
  for (int i = 0; i < 3; ++i) wide += "*8000\r\n";
  for (const std::string& bytes :
       {std::string("hello\r\n"), std::string("*2147483647\r\n"), std::string("*-7\r\n"),
        std::string("*20000\r\n"), std::string("$-7\r\n"), nested, wide}) {
    ReplyReader reader;
    reader.feed(bytes);
    Reply reply;
    EXPECT_EQ(reader.next(reply), Next::broken) << bytes;
    reader.feed("+OK\r\n");
    EXPECT_EQ(reader.next(reply), Next::broken) << bytes;
  }
}

TEST(RedisCodec, HoldsNoMoreThanTheLongestReply) {
  ReplyReader reader;
  reader.feed("$500000000\r\n");
  const std::string piece(1 << 20, 'x');
  Reply reply;
  std::size_t fed = 0;
  while (reader.next(reply) == Next::more) reader.feed(piece), fed += piece.size();
  EXPECT_LE(fed, ReplyReader::kLongest + 2 * piece.size());
}

}  // namespace
}  // namespace tanggul::redis
