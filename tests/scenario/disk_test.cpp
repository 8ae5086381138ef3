// The cache on disk: over a restart, with damage, without room, without descriptors.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "scenario/scenario.h"

namespace tanggul::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kMemoryIsOurs = false;  // but the sanitizer's
#else
constexpr bool kMemoryIsOurs = true;
#endif

std::string_view cache_status(const ClientResult& r) {
  return r.headers.find("cache-status").value_or("");
}
bool is_hit(const ClientResult& r) { return cache_status(r).find("; hit") != std::string::npos; }

std::vector<fs::path> files(const TanggulProcess& shield, const std::string& kind) {
  std::vector<fs::path> out;
  for (const auto& f : fs::recursive_directory_iterator(shield.data_dir() + "/cache/" + kind))
    if (f.is_regular_file()) out.push_back(f.path());
  return out;
}

void flip_a_byte(const fs::path& path, std::uint64_t at) {
  const int fd = ::open(path.c_str(), O_RDWR);
  char byte = 0;
  ASSERT_EQ(::pread(fd, &byte, 1, static_cast<off_t>(at)), 1);
  byte = static_cast<char>(byte ^ 0x10);
  ASSERT_EQ(::pwrite(fd, &byte, 1, static_cast<off_t>(at)), 1);
  ::close(fd);
}

TEST(Disk, WhatWasFetchedIsStillThereAfterKill9) {
  ScriptedOrigin origin;
  for (const std::uint64_t size : {0U, 300U, 100'000U, 5'000'000U})
    origin.set("/" + std::to_string(size), body_of(size));
  Script varying = body_of(1000);
  varying.headers.emplace_back("Vary", "Accept");
  origin.set("/varying", varying);
  TanggulProcess shield(generic_yaml(origin));
  const auto all = [&] {
    std::vector<ClientResult> results;
    for (const char* t : {"/o/0", "/o/300", "/o/100000", "/o/5000000"})
      results.push_back(shield.get(t));
    results.push_back(shield.get("/o/varying", {{"Accept", "a"}}));
    results.push_back(shield.get("/o/varying", {{"Accept", "b"}}));
    return results;
  };
  const auto first = all();
  ASSERT_TRUE(eventually([&] { return files(shield, "entries").size() == 7; }));
  shield.kill9();
  origin.reset_counts();
  shield.start();
  const auto again = all();
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_TRUE(is_hit(again[i])) << i << " " << cache_status(again[i]);
    EXPECT_EQ(again[i].body_sha256, first[i].body_sha256) << i;
    EXPECT_TRUE(again[i].complete) << i;
  }
  EXPECT_EQ(origin.requests(), 0U);
  EXPECT_FALSE(is_hit(shield.get("/o/varying", {{"Accept", "c"}})));
  expect_calm(shield);
}

TEST(Disk, AHerdAfterARestartIsServedFromDisk) {
  ScriptedOrigin origin(body_of(3'000'000));
  TanggulProcess shield(generic_yaml(origin));
  shield.get("/o/a");
  ASSERT_TRUE(eventually([&] { return files(shield, "entries").size() == 1; }));
  shield.kill9();
  shield.start();
  RequestSpec spec;
  spec.target = "/o/a";
  spec.keep_body = false;
  const auto results = burst(shield.port(), 300, spec);
  EXPECT_EQ(count_if(results, [](const auto& r) { return r.complete && is_hit(r); }), 300U);
  EXPECT_EQ(origin.requests(), 1U);
  expect_calm(shield);
}

TEST(Disk, AFlippedBitIsAMissThatIsTold) {
  ScriptedOrigin origin;
  origin.set("/small", body_of(3'000));
  origin.set("/large", body_of(2'500'000));
  TanggulProcess shield(generic_yaml(origin));
  const std::string small = shield.get("/o/small").body_sha256;
  const std::string large = shield.get("/o/large").body_sha256;
  ASSERT_TRUE(eventually([&] { return files(shield, "entries").size() == 2; }));
  shield.kill9();
  for (const auto& f : files(shield, "entries"))
    if (fs::file_size(f) > 3'000) flip_a_byte(f, fs::file_size(f) - 100);
  flip_a_byte(files(shield, "bodies").front(), 1'900'000);
  origin.reset_counts();
  shield.start();
  EXPECT_EQ(shield.get("/o/small").body_sha256, small);
  EXPECT_EQ(shield.get("/o/large").body_sha256, large);
  EXPECT_EQ(origin.requests(), 2U);
  EXPECT_EQ(shield.metric("tanggul_cache_damaged_total"), 2);
  EXPECT_NE(shield.process().err().find("is damaged"), std::string::npos);
  // Under the running process, too.
  ASSERT_TRUE(eventually([&] { return files(shield, "bodies").size() == 1; }));
  ASSERT_TRUE(eventually([&] { return is_hit(shield.get("/o/large")); }));
  flip_a_byte(files(shield, "bodies").front(), 77);
  EXPECT_EQ(shield.get("/o/large").body_sha256, large);
  EXPECT_EQ(origin.requests(), 3U);
  expect_calm(shield);
}

TEST(Disk, APurgeHoldsOverARestart) {
  Script tagged = body_of(2'000);
  tagged.headers.emplace_back("Cache-Tag", "red, blue");
  ScriptedOrigin origin(body_of(2'000));
  origin.set("/tagged", tagged);
  TanggulProcess shield(generic_yaml(origin));
  for (const char* t : {"/o/tagged", "/o/one", "/o/dir/x", "/o/stays"}) shield.get(t);
  ASSERT_TRUE(eventually([&] { return files(shield, "entries").size() == 4; }));
  shield.kill9();
  shield.start();  // all of it lies on disk alone
  for (const std::vector<std::string>& what :
       {std::vector<std::string>{"--tag", "RED"}, {"/o/one"}, {"--prefix", "/o/dir/"}}) {
    std::vector<std::string> args = {tanggul_binary(), "purge", "--admin", shield.admin_url()};
    args.insert(args.end(), what.begin(), what.end());
    const CommandResult purged = run_command({.args = std::move(args)});
    EXPECT_EQ(purged.status, 0) << purged.err;
  }
  shield.kill9();
  shield.start();
  for (const char* gone : {"/o/tagged", "/o/one", "/o/dir/x"})
    EXPECT_FALSE(is_hit(shield.get(gone))) << gone;
  EXPECT_TRUE(is_hit(shield.get("/o/stays")));
}

TEST(Disk, AnArtifactIsHeldToADocumentThatLiesOnDiskAlone) {
  ScriptedOrigin origin;
  const std::string tarball = "not really a tarball";
  const std::string integrity = "sha512-" + to_base64(Digest::of(DigestKind::sha512, tarball));
  Script document;
  document.headers = {{"Content-Type", "application/json"}};
  document.body = R"({"name":"a","versions":{"1.0.0":{"name":"a","version":"1.0.0","dist":{)"
                  R"("tarball":")" +
                  origin.url() + R"(/a/-/a-1.0.0.tgz","integrity":")" + integrity + R"("}}}})";
  origin.set("/a", document);
  Script corrupt;
  corrupt.body = "something else entirely";
  origin.set("/a/-/a-1.0.0.tgz", corrupt);
  TanggulProcess shield(
      "access_log: text\norigins:\n  npm:\n    kind: npm\n    mount: /npm/\n"
      "    upstream: " +
      origin.url() + "\n");
  ASSERT_EQ(shield.get("/npm/a").status, 200);
  ASSERT_TRUE(eventually([&] { return files(shield, "entries").size() == 1; }));
  shield.kill9();
  shield.start();
  EXPECT_EQ(shield.get("/npm/a/-/a-1.0.0.tgz").status, 502);
  Script right;
  right.body = tarball;
  origin.set("/a/-/a-1.0.0.tgz", right);
  EXPECT_TRUE(eventually([&] {
    run_command({.args = {tanggul_binary(), "purge", "--admin", shield.admin_url(),
                          "/npm/a/-/a-1.0.0.tgz"}});
    return shield.get("/npm/a/-/a-1.0.0.tgz").body == tarball;
  }));
}

TEST(Disk, AWriteOutdatesVariantsThatLieOnDiskAlone) {
  Script varying = body_of(1000);
  varying.headers.emplace_back("Vary", "Accept");
  ScriptedOrigin origin(varying);
  TanggulProcess shield(generic_yaml(origin));
  for (const char* accept : {"a", "b"}) shield.get("/o/x", {{"Accept", accept}});
  ASSERT_TRUE(eventually([&] { return files(shield, "entries").size() == 3; }));
  shield.kill9();
  shield.start();
  RequestSpec put;
  put.method = "PUT";
  put.target = "/o/x";
  put.body = "new";
  ASSERT_EQ(send_request(shield.port(), put).status, 200);
  for (const char* accept : {"a", "b"})
    EXPECT_FALSE(is_hit(shield.get("/o/x", {{"Accept", accept}}))) << accept;
}

TEST(Disk, WhatIsFetchedMeanwhileTakesNothingFromWhoIsServedFromDisk) {
  ScriptedOrigin origin;
  origin.set_default(body_of(500));
  origin.set_prefix("/held/", body_of(400'000));
  TanggulProcess shield(generic_yaml(origin, "    limit: { queue: 10000 }\n"));
  const auto held = [&](std::size_t i) {
    RequestSpec spec;
    spec.target = "/o/held/" + std::to_string(i);
    spec.keep_body = false;
    return spec;
  };
  for (std::size_t i = 0; i < 60; ++i) ASSERT_TRUE(send_request(shield.port(), held(i)).complete);
  ASSERT_TRUE(eventually([&] { return files(shield, "entries").size() == 60; }));
  shield.kill9();
  shield.start();
  origin.reset_counts();
  const auto results = burst(shield.port(), 660, [&](std::size_t i) {
    if (i % 11 == 0) return held(i / 11);
    RequestSpec spec;
    spec.target = "/o/new/" + std::to_string(i);
    return spec;
  });
  EXPECT_EQ(count_if(results, [](const auto& r) { return r.complete; }), 660U);
  EXPECT_EQ(origin.requests(), 600U);
  expect_calm(shield);
}

TEST(Disk, MoreThanTheMemoryHoldsIsServedFromDiskToAnyNumberAtOnce) {
  Script varying = body_of(60'000);
  varying.headers.emplace_back("Vary", "Accept-Language");
  ScriptedOrigin origin(body_of(50'000));
  origin.set_prefix("/v/", varying);
  TanggulProcess shield(generic_yaml(origin, "", "cache: { memory: 1MiB, disk: 1GiB }\n"));
  const auto key = [](std::size_t i) {
    RequestSpec spec;
    spec.target = (i % 2 == 0 ? "/o/" : "/o/v/") + std::to_string(i);
    spec.keep_body = false;
    return spec;
  };
  for (std::size_t i = 0; i < 100; ++i) ASSERT_TRUE(send_request(shield.port(), key(i)).complete);
  ASSERT_TRUE(eventually([&] { return files(shield, "entries").size() == 150; }));
  origin.reset_counts();
  const auto results = burst(shield.port(), 800, [&](std::size_t i) { return key(i * 37 % 100); });
  EXPECT_EQ(count_if(results, [](const auto& r) { return r.complete && is_hit(r); }), 800U);
  EXPECT_EQ(origin.requests(), 0U);
  expect_calm(shield);
}

// A shield whose data directory is a file system of its own, of this size.
TanggulProcess::Launcher on_its_own_disk(const std::string& size) {
  return [size](const std::string& data) -> std::vector<std::string> {
    const std::string mount = "mount -t tmpfs -o size=" + size + " tanggul \"$0\"";
    return {"unshare", "--mount", "sh", "-c", "mkdir -p \"$0\" && " + mount + " && exec \"$@\"",
            data};
  };
}

TEST(Disk, AFolderThatTakesNothingIsToldAndServingGoesOn) {
  ScriptedOrigin origin(body_of(50'000));
  TanggulProcess shield(generic_yaml(origin));
  shield.get("/o/a");
  ASSERT_TRUE(eventually([&] { return files(shield, "entries").size() == 1; }));
  const fs::path cache = shield.data_dir() + "/cache";
  fs::remove_all(cache);
  std::ofstream(cache) << "in the way";
  for (int i = 0; i < 5; ++i) EXPECT_EQ(shield.get("/o/b" + std::to_string(i)).status, 200);
  ASSERT_TRUE(eventually([&] { return shield.metric("tanggul_cache_disk_up") == 0; }));
  EXPECT_TRUE(is_hit(shield.get("/o/b0")));  // from memory
  const CommandResult status =
      run_command({.args = {tanggul_binary(), "status", "--admin", shield.admin_url()}});
  EXPECT_NE(status.out.find("the cache on disk cannot write"), std::string::npos) << status.out;
  fs::remove(cache);
  ASSERT_TRUE(eventually(
      [&] {
        shield.get("/o/c" + std::to_string(MonoClock::now().time_since_epoch().count()));
        return shield.metric("tanggul_cache_disk_up") == 1;
      },
      20s));
  expect_calm(shield);
}

TEST(Disk, WithFewDescriptorsEverythingIsStillServed) {
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer looks at types through a pipe, for which it needs descriptors";
#endif
  ScriptedOrigin origin(body_of(400'000));
  TanggulProcess shield(generic_yaml(origin, "", "threads: 1\n"), {}, [](const auto&) {
    return std::vector<std::string>{"prlimit", "--nofile=48:48"};
  });
  for (int round = 0; round < 2; ++round) {
    for (int wave = 0; wave < 4; ++wave) {
      const auto results = burst(shield.port(), 12, [&](std::size_t i) {
        RequestSpec spec;
        spec.target = "/o/" + std::to_string(wave * 12 + static_cast<int>(i));
        return spec;
      });
      EXPECT_EQ(count_if(results, [](const auto& r) { return r.status == 200 && r.complete; }), 12U)
          << "round " << round << " wave " << wave;
    }
    if (round == 0) {
      shield.kill9();
      shield.start();
    }
  }
  expect_calm(shield);
}

TEST(Disk, AFullDiskEvictsAndServingGoesOn) {
  if (run_command({.args = {"unshare", "--mount", "true"}}).status != 0)
    GTEST_SKIP() << "no mount namespace may be made here";
  ScriptedOrigin origin;
  TanggulProcess shield(generic_yaml(origin), {}, on_its_own_disk("8m"));  // of a bound of 10 GiB
  for (std::uint64_t i = 0; i < 60; ++i) {
    origin.set("/" + std::to_string(i), body_of(300'000 + i));
    const ClientResult r = shield.get("/o/" + std::to_string(i));
    ASSERT_EQ(r.status, 200) << i << r.body;
    ASSERT_TRUE(r.complete) << i;
  }
  EXPECT_GT(shield.metric("tanggul_cache_evictions_total{tier=\"disk\"}"), 20);
  EXPECT_TRUE(is_hit(shield.get("/o/59")));
  expect_calm(shield);
}

TEST(Disk, ABodyThatDoesNotFitPassesThroughMemoryAtItsReadersPace) {
  if (run_command({.args = {"unshare", "--mount", "true"}}).status != 0)
    GTEST_SKIP() << "no mount namespace may be made here";
  constexpr std::uint64_t kSize = 40'000'000;
  Script body = body_of(kSize);
  body.delay_body = 300ms;  // until all of them are there
  ScriptedOrigin origin(body);
  TanggulProcess shield(generic_yaml(origin, "", "cache: { memory: 16MiB, disk: 1GiB }\n"), {},
                        on_its_own_disk("8m"));
  const std::uint64_t before = shield.rss();
  const auto results = burst(shield.port(), 8, [&](std::size_t i) {
    RequestSpec spec;
    spec.target = "/o/a";
    spec.keep_body = false;
    if (i == 0) spec.read_bytes_per_second = 20'000'000;  // paces the others, and keeps up
    return spec;
  });
  for (const auto& r : results) {
    EXPECT_TRUE(r.complete) << r.error;
    EXPECT_EQ(r.body_size, kSize);
    EXPECT_EQ(r.body_sha256, results.front().body_sha256);
  }
  EXPECT_EQ(origin.requests(), 1U);
  if (kMemoryIsOurs) EXPECT_LT(shield.process().peak_rss(), before + 24'000'000);
  EXPECT_NE(shield.process().err().find("could not be kept"), std::string::npos);
  EXPECT_FALSE(is_hit(shield.get("/o/a")));  // and was not
  expect_calm(shield);
}

TEST(Disk, ABodyThatCouldNeverFitTakesNothingFromTheOthers) {
  if (run_command({.args = {"unshare", "--mount", "true"}}).status != 0)
    GTEST_SKIP() << "no mount namespace may be made here";
  ScriptedOrigin origin;
  for (std::uint64_t i = 0; i < 10; ++i) origin.set("/" + std::to_string(i), body_of(600'000 + i));
  origin.set("/huge", body_of(40'000'000));
  TanggulProcess shield(generic_yaml(origin), {}, on_its_own_disk("12m"));
  const auto held = [&] {
    std::size_t hits = 0;
    for (int i = 0; i < 10; ++i) hits += is_hit(shield.get("/o/" + std::to_string(i))) ? 1 : 0;
    return hits;
  };
  held();
  EXPECT_EQ(held(), 10U);
  EXPECT_TRUE(shield.get("/o/huge").complete);
  EXPECT_EQ(held(), 10U);
  const CommandResult status =
      run_command({.args = {tanggul_binary(), "status", "--admin", shield.admin_url()}});
  EXPECT_NE(status.out.find("could not be kept"), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("The origin is well"), std::string::npos) << status.out;
}

TEST(Disk, WhatHasBecomeReadOnlyIsServedWithoutAtTheNextStart) {
  if (run_command({.args = {"unshare", "--mount", "true"}}).status != 0)
    GTEST_SKIP() << "no mount namespace may be made here";
  ScriptedOrigin origin(body_of(400'000));
  const std::string prepare =
      "mkdir -p \"$0\" && mount -t tmpfs tanggul \"$0\" && echo 1 > \"$0/format\" && "
      "mount -o remount,ro \"$0\" && exec \"$@\"";
  TanggulProcess shield(generic_yaml(origin), {},
                        [&](const std::string& data) -> std::vector<std::string> {
                          return {"unshare", "--mount", "sh", "-c", prepare, data};
                        });
  const ClientResult r = shield.get("/o/a");
  EXPECT_EQ(r.status, 200);
  EXPECT_TRUE(r.complete);
  EXPECT_NE(shield.process().err().find("serving without a cache on disk"), std::string::npos);
}

TEST(Disk, WhoDoesNotReadIsCutSoThatABodyWithoutRoomMovesOn) {
  if (run_command({.args = {"unshare", "--mount", "true"}}).status != 0)
    GTEST_SKIP() << "no mount namespace may be made here";
  Script body = body_of(30'000'000);
  body.delay_body = 300ms;
  ScriptedOrigin origin(body);
  TanggulProcess shield(generic_yaml(origin, "    timeout: { idle: 2s }\n"), {},
                        on_its_own_disk("4m"));
  const auto results = burst(shield.port(), 4, [&](std::size_t i) {
    RequestSpec spec;
    spec.target = "/o/a";
    spec.keep_body = false;
    if (i == 0) spec.read_bytes_per_second = 1;
    spec.deadline = 6s;
    return spec;
  });
  for (std::size_t i = 1; i < results.size(); ++i) EXPECT_TRUE(results[i].complete) << i;
  EXPECT_FALSE(results[0].complete);
}

}  // namespace
}  // namespace tanggul::test
