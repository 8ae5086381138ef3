#include "tanggul/policy/coalescing.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tanggul::policy {
namespace {

TEST(Coalescing, IsSaidToFailByFourNumbersTogether) {
  struct Case {
    CoalescingFigures figures;
    bool fails;
    const char* why;
  } cases[] = {
      {{200, 200, 0, 200ms}, true, "ever-new keys, slow origin"},
      {{50, 50, 0, 100ms}, true, "just so many"},
      {{49, 49, 0, 100ms}, false, "too few keys"},
      {{49.6, 50, 0, 100ms}, true, "an estimate is rounded"},
      {{200, 200, 10, 200ms}, false, "one in twenty is shared"},
      {{200, 200, 9, 200ms}, true, "fewer are shared"},
      {{100, 200, 0, 200ms}, true, "each key twice"},
      {{99, 200, 0, 200ms}, false, "keys come again: their lifetime is short"},
      {{200, 200, 0, 99ms}, false, "a fast origin"},
      {{1, 1, 1, 200ms}, false, "a hot key"},
      {{201, 201, 1, 200ms}, true, "ever-new keys beside a hot one"},
      {{0, 0, 0, 0s}, false, "nothing has happened"},
  };
  for (const Case& c : cases) EXPECT_EQ(coalescing_fails(c.figures), c.fails) << c.why;
}

TEST(Coalescing, NeverBlamesAHotKey) {
  EXPECT_TRUE(rc::check("however slow its origin and large its herd", [] {
    CoalescingFigures f;
    f.distinct_keys = 1;
    f.fetches = *rc::gen::inRange<std::uint64_t>(0, 1000);
    f.shared = *rc::gen::inRange<std::uint64_t>(0, 100'000);
    f.origin_latency = *rc::gen::inRange(0, 60'000) * 1ms;
    RC_ASSERT(!coalescing_fails(f));
  }));
}

}  // namespace
}  // namespace tanggul::policy
