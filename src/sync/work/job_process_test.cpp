#include "sync/work/job_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_dir.h"

namespace tanggul::sync {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kGood =
    R"({"end":"changed","url":"u","commit":"c","detail":"","spent":{"clone":1.5},)"
    R"("errors":["bibtex"],"defects":[]})";

std::optional<JobEnd> go_on() { return std::nullopt; }

class JobProcessOf : public testing::Test {
 protected:
  JobProcess::Ended run(const std::string& script,
                        const std::function<std::optional<JobEnd>()>& look = go_on,
                        Duration timeout = 30s) {
    JobProcess process({{"sh", "-c", script}, {"PATH=/usr/local/bin:/usr/bin:/bin"}}, 128_MiB,
                       "test");
    JobOrder order;
    order.url = "https://example.org/a";
    order.folder = folder();
    order.pool.timeout = timeout;
    return process.run(order, look);
  }
  std::string folder() const { return dir_.file("clone"); }

  const test::TempDir dir_;
};

TEST_F(JobProcessOf, AnOrderGoesInAndAReportComesOut) {
  const auto ended =
      run(std::string("grep -q '\"url\":\"https://example.org/a\"' && echo '") + kGood + "'");
  ASSERT_EQ(ended.end, JobEnd::changed) << ended.detail;
  EXPECT_EQ(ended.report->commit, "c");
  EXPECT_EQ(ended.report->spent[static_cast<std::size_t>(JobStage::clone)], 1500ms);
  EXPECT_TRUE(ended.report->marks.errors[static_cast<std::size_t>(Stage::bibtex)]);
}

TEST_F(JobProcessOf, ADeathIsACrash) {
  EXPECT_THAT(run("kill -SEGV $$").detail, HasSubstr("ended by signal 11"));
  const auto said = run("echo 'fatal: it is broken' >&2; exit 3");
  EXPECT_EQ(said.end, JobEnd::crashed);
  EXPECT_EQ(said.detail, "exit status 3: it is broken");
  const auto missing = JobProcess({{"/no/such/program"}, {}}, 128_MiB, "test").run({}, go_on);
  EXPECT_EQ(missing.end, JobEnd::busy) << "nobody's fault among the jobs";
}

TEST_F(JobProcessOf, WhatIsNoReportIsACrash) {
  for (const std::string said :
       {"", "hello", "{}", "[]", R"({"end":"risen"})", R"({"end":1})", "{\"end\":\"changed\"}",
        R"({"end":"changed","url":1,"commit":"","detail":"","spent":{},"errors":[],"defects":[]})"})
    EXPECT_EQ(run("printf '%s\\n' '" + said + "'").end, JobEnd::crashed) << said;
  EXPECT_EQ(run("head -c 10000000 /dev/zero").end, JobEnd::crashed);
}

TEST_F(JobProcessOf, WhatTakesTooMuchMemoryIsEnded) {
  const auto ended = run("exec python3 -c 'x = b\"x\" * (1 << 30)'");
  EXPECT_EQ(ended.end, JobEnd::oom) << ended.detail;
  EXPECT_LT(ended.peak, 142_MiB);
}

TEST_F(JobProcessOf, WhatDoesNotEndIsEndedWithAllThatItHasStarted) {
  const std::string mark = dir_.file("mark");
  const MonoTime began = MonoClock::now();
  const auto ended = run("setsid sh -c 'while :; do touch " + mark + "; sleep 0.05; done' & wait",
                         [&]() -> std::optional<JobEnd> {
                           if (fs::exists(mark)) return JobEnd::drained;
                           return std::nullopt;
                         });
  EXPECT_EQ(ended.end, JobEnd::drained);
  EXPECT_LT(MonoClock::now() - began, 20s);
  // It would be made again by who lives on.
  fs::remove(mark);
  EXPECT_EQ(run("sleep 0.5; echo '" + std::string(kGood) + "'").end, JobEnd::changed);
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(JobProcessOf, ItsFolderIsGoneWhateverLiesThere) {
  run("mkdir -p " + folder() + "/a/b; ln -s /etc " + folder() + "/etc; chmod 0 " + folder() + "/a");
  EXPECT_FALSE(fs::exists(folder()));
  EXPECT_TRUE(fs::exists("/etc/passwd"));
}

}  // namespace
}  // namespace tanggul::sync
