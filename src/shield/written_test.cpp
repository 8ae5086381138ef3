#include "shield/written.h"

#include <gtest/gtest.h>

namespace tanggul::shield {
namespace {

std::vector<std::string> written(const char* location, std::string_view rest = "/dir/a") {
  OriginConfig config;
  config.mount = "/o/";
  config.upstreams = {{"http://origin.test:81", "/base"}};
  return also_written(http::Headers({{"Location", location}}), rest, "shield:80", config);
}
using Rests = std::vector<std::string>;

TEST(Written, IsRelativeToWhatWasWritten) {
  EXPECT_EQ(written("b"), (Rests{"/dir/b"}));
  EXPECT_EQ(written("../b?q"), (Rests{"/b?q"}));
  EXPECT_EQ(written("./"), (Rests{"/dir/"}));
  EXPECT_EQ(written("?x=1"), (Rests{"/dir/a?x=1"}));
  EXPECT_EQ(written(""), (Rests{"/dir/a"}));
}

TEST(Written, IsAsTheClientOrTheUpstreamNamesIt) {
  EXPECT_EQ(written("/o/b"), (Rests{"/b"}));
  EXPECT_EQ(written("/base/b"), (Rests{"/b"}));
  EXPECT_EQ(written("http://shield:80/o/b#f"), (Rests{"/b"}));
  EXPECT_EQ(written("https://ORIGIN.test:81/base/b"), (Rests{"/b"}));
  EXPECT_EQ(written("//shield:80/o/b"), (Rests{"/b"}));
}

TEST(Written, NothingElsewhereIsOutdated) {
  for (const char* location :
       {"http://elsewhere/o/b", "http://shield:80/base/b", "http://origin.test:81/o/b", "/p/b",
        "/other", "//elsewhere/o/b", "../../p/b", "http://", "/ob", "../../../.."})
    EXPECT_TRUE(written(location).empty()) << location;
}

}  // namespace
}  // namespace tanggul::shield
