// Ranges and interim responses over real sockets.
#include <thread>

#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

constexpr std::uint64_t kLarge = 64ULL << 20;

TEST(Ranges, OfAFileAreSentFromTheirPlaceInIt) {
  ScriptedOrigin origin(body_of(kLarge));
  TanggulProcess shield(generic_yaml(origin));
  EXPECT_EQ(shield.get("/o/big").body_size, kLarge);
  const ClientResult r = shield.get("/o/big", {{"Range", "bytes=50000000-50099999"}});
  EXPECT_EQ(r.status, 206);
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.headers.find("content-range"), "bytes 50000000-50099999/67108864");
  EXPECT_EQ(r.body, generated_bytes(50'000'000, 100'000));
  const ClientResult parts = shield.get("/o/big", {{"Range", "bytes=0-9,60000000-60000009"}});
  EXPECT_TRUE(parts.complete);
  EXPECT_NE(parts.body.find("\r\n\r\n" + generated_bytes(60'000'000, 10) + "\r\n--"),
            std::string::npos);
  EXPECT_EQ(shield.get("/o/big", {{"Range", "bytes=67108864-"}}).status, 416);
  EXPECT_EQ(origin.requests(), 1U);
  expect_calm(shield);
}

TEST(Ranges, OfOneWholeAreServedWhileItArrives) {
  Script paced = body_of(kLarge);
  paced.bytes_per_second = 16 << 20;
  ScriptedOrigin origin(paced);
  TanggulProcess shield(generic_yaml(origin));
  const auto results = burst(shield.port(), 20, [&](std::size_t i) {
    RequestSpec spec;
    spec.target = "/o/big";
    spec.headers = {
        {"Range", "bytes=" + std::to_string(i * 1000) + "-" + std::to_string(i * 1000 + 999)}};
    spec.deadline = 30s;
    return spec;
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].status, 206);
    EXPECT_EQ(results[i].body, generated_bytes(i * 1000, 1000)) << i;
  }
  EXPECT_EQ(origin.requests(), 1U);
}

TEST(Ranges, OverThePassthroughGoToTheOriginAsTheyAre) {
  ScriptedOrigin origin;
  Script answer = body_of(1 << 20);
  answer.dynamic = [](const SeenRequest& seen) {
    Script s = body_of(1 << 20);
    if (!seen.headers.has("range")) return s;
    s.generated_size = 0;
    s.status = 206;
    s.body = "0123456789";
    s.headers.emplace_back("Content-Range", "bytes 0-9/1048576");
    return s;
  };
  origin.set_default(answer);
  TanggulProcess shield(generic_yaml(origin, "    range_passthrough: 64KiB\n"));
  for (const char* range : {"bytes=0-9", "bytes=3-5"})
    EXPECT_EQ(shield.get("/o/big", {{"Range", range}}).status, 206);
  EXPECT_EQ(shield.get("/o/big", {{"Range", "bytes=3-5"}}).body, "345");
  EXPECT_EQ(origin.requests(), 2U);  // the whole, broken off, and the part
  expect_calm(shield);
}

TEST(Interims, ReachTheClientAheadOfItsAnswer) {
  Script hinting = body_of(5);
  hinting.before_head = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
  hinting.delay_head = 100ms;
  ScriptedOrigin origin(hinting);
  TanggulProcess shield(generic_yaml(origin));
  const auto ask = [&](const char* version) {
    return raw_exchange(
        shield.port(),
        std::string("GET /o/a HTTP/") + version + "\r\nHost: x\r\nConnection: close\r\n\r\n", 2s);
  };
  const std::string first = ask("1.1");
  EXPECT_TRUE(
      first.starts_with("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK"))
      << first;
  EXPECT_TRUE(ask("1.1").starts_with("HTTP/1.1 200 OK"));  // a hit
  origin.set("/b", hinting);
  const std::string old = raw_exchange(shield.port(), "GET /o/b HTTP/1.0\r\nHost: x\r\n\r\n", 2s);
  EXPECT_TRUE(old.starts_with("HTTP/1.1 200 OK")) << old;
  expect_calm(shield);
}

}  // namespace
}  // namespace tanggul::test
