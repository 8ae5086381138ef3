#include "process/orphans.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "process/child.h"
#include "support/eventually.h"

namespace tanggul::process {
namespace {

std::unique_ptr<Child> shell(const std::string& script) {
  return std::move(Child::start({{"sh", "-c", script}, {"PATH=/usr/bin:/bin"}}, {})).value();
}

TEST(Orphans, WhatADeadChildHasLeftBehindIsEndedAndTheLivingStay) {
  adopt_orphans();
  const auto living = shell("echo here; exec sleep 1000");
  ASSERT_EQ(*living->read(), "here\n");
  auto dead = shell("setsid sleep 1000 >/dev/null 2>&1 & echo $!");
  const pid_t orphan = std::stoi(std::string(*dead->read()));
  EXPECT_EQ(*dead->wait(), 0);
  EXPECT_EQ(::kill(orphan, 0), 0) << "its own session has outlived its parent";
  end_orphans();
  EXPECT_NE(::kill(orphan, 0), 0);
  EXPECT_EQ(::kill(living->pid(), 0), 0);
}

}  // namespace
}  // namespace tanggul::process
