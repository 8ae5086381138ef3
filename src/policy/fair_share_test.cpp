#include "tanggul/policy/fair_share.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace tanggul::policy {
namespace {

using Entry = FairShare::Entry;

TEST(FairShare, OneClientAloneMayFillTheRoom) {
  FairShare room(4);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(room.ask("a"), Entry::welcome);
    room.enter("a");
  }
  EXPECT_EQ(room.ask("a"), Entry::refused);
  EXPECT_EQ(room.ask("b"), Entry::displaces);
  EXPECT_TRUE(room.over_half("a"));
}

TEST(FairShare, WithOthersWaitingHalfIsTheMost) {
  FairShare room(4);
  room.enter("b");
  room.enter("a");
  room.enter("a");
  EXPECT_EQ(room.ask("a"), Entry::refused);
  EXPECT_EQ(room.ask("c"), Entry::welcome);
  room.leave("b");
  EXPECT_EQ(room.ask("a"), Entry::welcome);
}

TEST(FairShare, ARoomWithoutPlacesTakesNobody) { EXPECT_EQ(FairShare(0).ask("a"), Entry::refused); }

TEST(FairShare, ASmallerRoomMakesMoreOfItsGuestsGreedy) {
  FairShare room(10);
  for (int i = 0; i < 5; ++i) room.enter("a");
  EXPECT_EQ(room.ask("b"), Entry::welcome);
  room.set_capacity(4);
  EXPECT_EQ(room.ask("b"), Entry::displaces);
  EXPECT_EQ(room.ask("a"), Entry::refused);
}

TEST(FairShare, NeverHoldsMoreThanItsCapacityAndForgetsWhoHasLeft) {
  const bool holds =
      rc::check("any comings and goings", [](const std::vector<std::uint8_t>& steps) {
        FairShare room(3);
        room.set_capacity(5);
        std::vector<std::string> inside;
        for (const std::uint8_t step : steps) {
          const std::string client(1, static_cast<char>('a' + step % 4));
          if (step % 3 == 0 && !inside.empty()) {
            room.leave(inside.back());
            inside.pop_back();
          } else if (room.ask(client) == Entry::displaces) {
            const auto greedy = std::find_if(inside.begin(), inside.end(),
                                             [&](const auto& c) { return room.over_half(c); });
            RC_ASSERT(greedy != inside.end());
            RC_ASSERT(*greedy != client);
            room.leave(*greedy);
            inside.erase(greedy);
            room.enter(client);
            inside.push_back(client);
          } else if (room.ask(client) == Entry::welcome) {
            room.enter(client);
            inside.push_back(client);
          }
          RC_ASSERT(room.size() == inside.size());
          RC_ASSERT(room.size() <= 5U);
        }
      });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace tanggul::policy
