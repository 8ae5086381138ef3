#include "adapters/curl/head_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace tanggul::curl {
namespace {

using ports::BodyFraming;
using Step = HeadReader::Step;

Step feed(HeadReader& reader, const std::vector<std::string>& lines) {
  Step step = Step::more;
  for (const std::string& line : lines) {
    step = reader.line(line + "\r\n");
    if (step == Step::bad) break;
  }
  return step;
}

TEST(HeadReader, TellsHowTheBodyEnds) {
  const auto framing = [](std::vector<std::string> lines, bool head = false) {
    HeadReader r(head, 1000);
    lines.push_back("");
    EXPECT_EQ(feed(r, lines), Step::complete);
    return r.framing();
  };
  EXPECT_EQ(framing({"HTTP/1.1 200 OK", "Content-Length: 3"}), BodyFraming::length);
  EXPECT_EQ(framing({"HTTP/1.1 200 OK", "Content-Length: 3", "Content-Length: 3"}),
            BodyFraming::length);
  EXPECT_EQ(framing({"HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Length: 3"}),
            BodyFraming::chunked);
  EXPECT_EQ(framing({"HTTP/1.1 200"}), BodyFraming::until_close);
  EXPECT_EQ(framing({"HTTP/2 200 "}), BodyFraming::chunked);
  EXPECT_EQ(framing({"HTTP/1.1 204 No Content"}), BodyFraming::none);
  EXPECT_EQ(framing({"HTTP/1.1 304 Not Modified", "Content-Length: 3"}), BodyFraming::none);
  EXPECT_EQ(framing({"HTTP/1.1 200 OK", "Content-Length: 3"}, true), BodyFraming::none);
}

TEST(HeadReader, SkipsInterimHeadsAndIgnoresTrailers) {
  HeadReader r(false, 1000);
  EXPECT_EQ(feed(r, {"HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/1.1 200 Fine", "A: b",
                     "Connection: x-hop", "X-Hop: 1", "Content-Length: 5", ""}),
            Step::complete);
  EXPECT_EQ(r.line("Late: trailer\r\n"), Step::more);
  const http::ResponseHead head = r.take();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.reason, "Fine");
  EXPECT_EQ(head.headers.size(), 1u);
  EXPECT_EQ(head.headers.find("a"), "b");
}

TEST(HeadReader, KeepsTheLengthOfAHeadResponse) {
  HeadReader r(true, 1000);
  feed(r, {"HTTP/1.1 200 OK", "Content-Length: 5", ""});
  EXPECT_EQ(r.take().headers.find("content-length"), "5");
}

TEST(HeadReader, JoinsFoldedLinesAndKeepsEmptyOnes) {
  HeadReader r(false, 1000);
  feed(r, {"HTTP/1.1 200 OK", "A: one", "\t two ", "B:", ""});
  EXPECT_EQ(r.head().headers.find("a"), "one two");
  EXPECT_EQ(r.head().headers.find("b"), "");
}

TEST(HeadReader, RefusesWhatIsNoHttp) {
  for (const std::vector<std::string>& lines : std::vector<std::vector<std::string>>{
           {"ICY 200 OK"},
           {"HTTP/1.1"},
           {"HTTP/1.1 abc"},
           {"HTTP/1.1 99 x"},
           {"HTTP/1.1 200 OK", "no colon"},
           {"HTTP/1.1 200 OK", ": no name"},
           {"HTTP/1.1 200 OK", " folded into nothing"},
           {"HTTP/1.1 101 Switching Protocols", ""},
           {"HTTP/1.1 200 OK", "Content-Length: 3", "Content-Length: 4", ""},
           {"HTTP/1.1 200 OK", "Content-Length: -3", ""},
           {"HTTP/1.1 200 OK", "Long: " + std::string(1000, 'x')}}) {
    HeadReader r(false, 1000);
    EXPECT_EQ(feed(r, lines), Step::bad) << lines.back();
  }
}

TEST(HeadReader, CountsInterimHeadsTowardsTheLimit) {
  HeadReader r(false, 1000);
  Step step = Step::interim;
  for (int i = 0; i < 100 && step == Step::interim; ++i)
    step = feed(r, {"HTTP/1.1 102 Processing", ""});
  EXPECT_EQ(step, Step::bad);
}

TEST(HeadReader, HandsOutInterimHeadsButForTheHopsOwn) {
  HeadReader r(false, 1000);
  EXPECT_EQ(feed(r, {"HTTP/1.1 100 Continue", ""}), Step::more);
  EXPECT_EQ(feed(r, {"HTTP/1.1 103 Early Hints", "Link: </a>", ""}), Step::interim);
  const http::ResponseHead interim = r.take_interim();
  EXPECT_EQ(interim.status, 103);
  EXPECT_EQ(interim.headers.find("link"), "</a>");
  EXPECT_EQ(feed(r, {"HTTP/1.1 200 OK", "Content-Length: 0", ""}), Step::complete);
  EXPECT_FALSE(r.head().headers.has("link"));
}

}  // namespace
}  // namespace tanggul::curl
