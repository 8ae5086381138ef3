#include "app/client/purge.h"

#include <gtest/gtest.h>

#include <sstream>

#include "app/client/one_answer_for_test.h"

namespace tanggul::app {
namespace {

struct Purged {
  int status;
  std::string out, err;
};

Purged purged(const std::string& answer) {
  OneAnswer admin(ok(answer));
  std::ostringstream out, err;
  const int status = purge({{admin.url(), ""}, {"/o/a"}, {}, {}, {}}, false, {out, err});
  return {status, out.str(), err.str()};
}

TEST(Purge, OfALoneShieldIsToldWithoutOtherNodes) {
  const Purged p = purged(R"({"entries": 1, "flights": 2, "unknown": []})");
  EXPECT_EQ(p.status, kDone);
  EXPECT_EQ(p.out, "purged 1 entries and 2 running fetches\n");
  EXPECT_EQ(p.err, "");
}

TEST(Purge, TellsWhetherTheOtherNodesHearOfIt) {
  const Purged told =
      purged(R"({"entries": 1, "flights": 2, "unknown": [], "cluster": {"reachable": true}})");
  EXPECT_EQ(told.status, kDone);
  EXPECT_EQ(told.out, "purged 1 entries and 2 running fetches here; told to the other nodes\n");
  const Purged later =
      purged(R"({"entries": 1, "flights": 2, "unknown": [], "cluster": {"reachable": false}})");
  EXPECT_EQ(later.status, kDone);
  EXPECT_EQ(later.out,
            "purged 1 entries and 2 running fetches here; the other nodes cannot be told now and "
            "hear of it once Redis is back\n");
}

}  // namespace
}  // namespace tanggul::app
