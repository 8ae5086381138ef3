#include "process/tree.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "process/child.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace tanggul::process {
namespace {

bool lives(pid_t pid) {
  const std::string stat = test::read_file("/proc/" + std::to_string(pid) + "/stat");
  return !stat.empty() && stat.find(") Z") == stat.npos;
}

TEST(ProcessTree, EndsWithThoseThatLeftTheGroup) {
  const auto child = std::move(Child::start({{"sh", "-c",
                                              "setsid sh -c 'sleep 1000 & echo $!; wait' & "
                                              "sleep 1000 & echo $!; wait"},
                                             {"PATH=/usr/bin:/bin"}},
                                            {}))
                         .value();
  std::string said;
  while (std::count(said.begin(), said.end(), '\n') < 2) said += *child->read();
  const pid_t one = std::stoi(said), other = std::stoi(said.substr(said.find('\n')));
  ASSERT_TRUE(lives(one) && lives(other));
  EXPECT_GT(resident_of_tree(child->pid()), resident_of_tree(one));
  end_tree(child->pid());
  EXPECT_TRUE(test::eventually([&] { return !lives(one) && !lives(other); }));
  EXPECT_FALSE(lives(child->pid()));
}

TEST(ProcessTree, OfNobodyIsNothing) {
  EXPECT_EQ(resident_of_tree(999'999'999), 0U);
  end_tree(999'999'999);
}

}  // namespace
}  // namespace tanggul::process
