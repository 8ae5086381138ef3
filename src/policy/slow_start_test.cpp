#include "tanggul/policy/slow_start.h"

#include <gtest/gtest.h>

namespace tanggul::policy {
namespace {

int round(SlowStart& start, bool well = true) {
  int n = 0;
  for (; start.may_start(); ++n) start.started();
  for (int i = 0; i < n; ++i) start.ended(well);
  return n;
}

TEST(SlowStart, DoublesWithEachRoundUpToTheLimit) {
  SlowStart start(10);
  EXPECT_EQ(round(start), 1);
  EXPECT_EQ(round(start), 2);
  EXPECT_EQ(round(start), 4);
  EXPECT_EQ(round(start), 8);
  EXPECT_EQ(round(start), 10);
  EXPECT_EQ(round(start), 10);
}

TEST(SlowStart, AFailureHalvesIt) {
  SlowStart start(32);
  for (int i = 0; i < 6; ++i) round(start);
  ASSERT_EQ(start.window(), 32);
  start.started();
  start.ended(false);
  EXPECT_EQ(start.window(), 16);
  EXPECT_EQ(round(start, false), 16);
  EXPECT_EQ(start.window(), 1);
}

TEST(SlowStart, BeginsAgainWithOneThoughOthersStillRun) {
  SlowStart start(8);
  round(start);
  start.started();
  start.started();
  start.begin(8);
  EXPECT_FALSE(start.may_start());
  start.ended(true);
  EXPECT_TRUE(start.may_start());  // two may run by now, one does
}

TEST(SlowStart, OneThatOnlyLeavesSaysNothing) {
  SlowStart start(8);
  for (int i = 0; i < 3; ++i) round(start);
  const int window = start.window();
  start.started();
  start.left();
  EXPECT_EQ(start.window(), window);
  EXPECT_EQ(start.running(), 0);
}

}  // namespace
}  // namespace tanggul::policy
