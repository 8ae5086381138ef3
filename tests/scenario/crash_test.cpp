// The process is ended by kill -9 in the middle of whatever it does, again and again, and what its
// successor serves from disk is compared with what the origin has.
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/bytes.h"
#include "scenario/scenario.h"
#include "tanggul/base/random.h"

namespace tanggul::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// More of them by TANGGUL_CRASHES.
int crashes() {
  const char* asked = std::getenv("TANGGUL_CRASHES");
  const int n = asked ? std::atoi(asked) : 0;
  return n > 0 ? n : 200;
}

constexpr ByteCount kBound = 12_MiB;
constexpr int kKeys = 60;

// Every version of every key has bytes of its own, and sizes reach from one behind its head to one
// that is spooled.
std::string body_of_version(int key, int version) {
  static constexpr std::size_t kSizes[] = {1, 700, 20'000, 66'000, 180'000, 400'000, 1'300'000};
  std::string body(kSizes[key % std::size(kSizes)], '\0');
  Rng rng(static_cast<std::uint64_t>(key) << 32 | static_cast<std::uint64_t>(version));
  for (std::size_t i = 0; i < body.size(); i += 8) {
    const std::uint64_t bits = rng.bits();
    for (std::size_t j = i; j < std::min(body.size(), i + 8); ++j)
      body[j] = static_cast<char>(bits >> (8 * (j - i)));
  }
  return body;
}

std::string target(int key) { return "/o/k/" + std::to_string(key); }

ByteCount on_disk(const std::string& directory) {
  ByteCount bytes = 0;
  std::error_code gone;
  for (fs::recursive_directory_iterator at(directory, gone), end; at != end; at.increment(gone))
    if (at->is_regular_file(gone)) bytes += (at->file_size(gone) + 4095) / 4096 * 4096;
  return bytes;
}

bool purge(const TanggulProcess& shield, int key) {
  RequestSpec spec;
  spec.method = "POST";
  spec.target = "/api/purge";
  spec.headers = {{"Content-Type", "application/json"}};
  spec.body = R"({"urls":[")" + target(key) + R"("]})";
  spec.deadline = 5s;
  return send_request(shield.admin_port(), spec).status == 200;
}

TEST(Crash, WhatASuccessorServesFromDiskIsWholeAndRightAndNotWhatWasPurged) {
  std::array<std::atomic<int>, kKeys> version{};
  Script by_key;
  by_key.dynamic = [&](const SeenRequest& request) {
    const int key = std::atoi(request.target.c_str() + request.target.rfind('/') + 1);
    const int now = version[static_cast<std::size_t>(key)];
    Script s = body_of(0);
    s.body = body_of_version(key, now);
    s.headers.emplace_back("X-Version", std::to_string(now));
    return s;
  };
  ScriptedOrigin origin(by_key);
  TanggulProcess shield(
      generic_yaml(origin, "", "threads: 2\ncache: { memory: 1MiB, disk: 12MiB }\n"));
  std::array<int, kKeys> least{};  // older versions were purged, and that was confirmed
  Rng rng(1);
  std::size_t served = 0, hits = 0, purged = 0;
  for (int crash = 0; crash < crashes(); ++crash) {
    // Under load: fetches, purges of what has a new version, evictions, since not all of it fits.
    std::thread load([&, seed = rng.bits()] {
      Rng own(seed);
      burst(shield.port(), 24, [&](std::size_t) {
        RequestSpec spec;
        spec.target = target(static_cast<int>(own.bits() % kKeys));
        spec.keep_body = false;
        spec.deadline = 5s;
        return spec;
      });
    });
    std::thread publisher([&, seed = rng.bits()] {
      Rng own(seed);
      for (int i = 0; i < 3; ++i) {
        const auto key = own.bits() % kKeys;
        const int next = ++version[key];
        if (!purge(shield, static_cast<int>(key))) continue;
        least[key] = next;
        ++purged;
      }
    });
    std::this_thread::sleep_for(rng.upto(60ms));
    shield.kill9();
    load.join();
    publisher.join();
    shield.start();
    for (int i = 0; i < 8; ++i) {
      const int key = static_cast<int>(rng.bits() % kKeys);
      const ClientResult r = shield.get(target(key));
      ASSERT_EQ(r.status, 200) << "crash " << crash;
      ASSERT_TRUE(r.complete) << r.error;
      const int got = std::atoi(std::string(r.headers.find("x-version").value_or("-1")).c_str());
      ASSERT_TRUE(r.body == body_of_version(key, got)) << "crash " << crash << ", key " << key;
      ASSERT_GE(got, least[static_cast<std::size_t>(key)]) << "crash " << crash << ", key " << key;
      ++served;
      if (r.headers.find("cache-status").value_or("").find("; hit") != std::string_view::npos)
        ++hits;
    }
    // Looked at while nothing changes: what is written meanwhile would be counted beside what it
    // replaces.
    ASSERT_TRUE(shield.process().freeze());
    ASSERT_LE(on_disk(shield.data_dir() + "/cache"), kBound) << "crash " << crash;
    shield.process().signal(SIGCONT);
    ASSERT_TRUE(eventually([&] { return fs::is_empty(shield.data_dir() + "/cache/new"); }));
  }
  EXPECT_EQ(shield.metric("tanggul_cache_damaged_total"), 0);
  // Or all of this was about nothing.
  EXPECT_GT(hits, served / 4) << hits << " of " << served;
  EXPECT_GT(purged, static_cast<std::size_t>(crashes()) / 4);
  expect_calm(shield);
}

}  // namespace
}  // namespace tanggul::test
