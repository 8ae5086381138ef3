#include "tanggul/http/message.h"

#include <gtest/gtest.h>

namespace tanggul::http {

TEST(Headers, KeepOrderAndIgnoreCase) {
  Headers h;
  h.add("ETag", "\"a\"");
  h.add("Vary", "Accept");
  h.add("vary", "Accept-Encoding");
  EXPECT_EQ(h.find("etag"), "\"a\"");
  EXPECT_EQ(h.joined("VARY"), "Accept, Accept-Encoding");
  h.set("Vary", "*");
  EXPECT_EQ(h.size(), 2U);
}

TEST(Headers, LoseHopByHopAndWhatConnectionNames) {
  Headers h;
  h.add("Connection", "close, X-Secret");
  h.add("X-Secret", "1");
  h.add("Transfer-Encoding", "chunked");
  h.add("X-Kept", "1");
  strip_hop_by_hop(h);
  ASSERT_EQ(h.size(), 1U);
  EXPECT_TRUE(h.has("x-kept"));
}

TEST(ListMembers, RespectQuotedCommas) {
  const auto m = list_members(" a , \"b,\\\"c\" ,, d");
  ASSERT_EQ(m.size(), 3U);
  EXPECT_EQ(m[1], "\"b,\\\"c\"");
  EXPECT_EQ(m[2], "d");
  EXPECT_TRUE(list_members("").empty());
  EXPECT_EQ(list_members("\"open\\").size(), 1U);
}

}  // namespace tanggul::http
