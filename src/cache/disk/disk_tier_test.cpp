#include "cache/disk/disk_tier.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cache/disk/own_body.h"
#include "tanggul/base/random.h"

namespace tanggul::cache {
namespace {

namespace fs = std::filesystem;

std::string noise(std::size_t size, std::uint64_t seed) {
  Rng rng(seed);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(rng.bits());
  return out;
}

std::string read_all(const Body& body) {
  std::string out;
  if (!each_piece(body, [&](std::string_view piece) { return out += piece, true; })) return "?";
  return out;
}

class DiskTierTest : public testing::Test {
 protected:
  DiskTierTest() {
    fs::create_directories(directory);
    start();
  }
  ~DiskTierTest() override {
    tier.reset();
    fs::remove_all(directory);
  }

  // As after the end of a process: what is in memory is gone.
  void start() {
    tier.reset();
    told.clear();
    DiskConfig config;
    config.root = root;
    config.capacity = capacity;
    tier = std::make_unique<DiskTier>(
        config, metrics, [this](const std::string& key, const EntryPtr&, DiskTier::Stored how) {
          const Lock lock(mutex);
          told[key] = how;
        });
    tier->wait_until_written();
  }

  static std::shared_ptr<Entry> entry_of(std::string body) {
    auto e = std::make_shared<Entry>();
    e->status = 200;
    e->headers.add("Content-Type", "text/plain");
    e->times.expires = WallTime(std::chrono::seconds(2'000'000'000));
    e->forms.emplace_back().body = std::make_shared<const std::string>(std::move(body));
    encode_heads(*e);
    return e;
  }
  // With its body in a file without a name, as a flight leaves it.
  std::shared_ptr<Entry> spooled(const std::string& body) {
    auto e = entry_of("");
    auto file = *File::create(directory);
    EXPECT_TRUE(file->append(body));
    e->forms[0].body = FileBody{file, body.size()};
    encode_heads(*e);
    return e;
  }
  void store(const std::string& key, EntryPtr entry) {
    tier->store(key, std::move(entry));
    tier->wait_until_written();
  }
  std::string body_of(const std::string& key) {
    const EntryPtr e = tier->load(key);
    return e ? read_all(e->forms.front().body) : "(none)";
  }
  std::vector<fs::path> files(const std::string& below) const {
    std::vector<fs::path> out;
    for (const auto& f : fs::recursive_directory_iterator(fs::path(root) / below))
      if (f.is_regular_file()) out.push_back(f.path());
    return out;
  }
  double count(const char* family) {
    return static_cast<double>(metrics.counter(family, "").value());
  }

  const fs::path directory =
      fs::temp_directory_path() / ("disk-tier-" + std::to_string(::getpid()));
  const std::string root = directory / "cache";
  ByteCount capacity = 1_GiB;
  MetricSet metrics;
  Mutex mutex;
  std::map<std::string, DiskTier::Stored> told;
  std::unique_ptr<DiskTier> tier;
};

TEST_F(DiskTierTest, GivesBackWhatItWasGivenAlsoToTheNextProcess) {
  const std::string small = noise(100, 1), middle = noise(200'000, 2), large = noise(3'000'001, 3);
  store("small", entry_of(small));
  store("middle", entry_of(middle));
  store("large", spooled(large));
  store("empty", entry_of(""));
  for (int process = 0; process < 2; ++process) {
    EXPECT_EQ(body_of("small"), small);
    EXPECT_EQ(body_of("middle"), middle);
    EXPECT_EQ(body_of("large"), large);
    EXPECT_EQ(body_of("empty"), "");
    EXPECT_EQ(tier->load("other"), nullptr);
    start();
  }
  EXPECT_EQ(tier->objects(), 6U);
  const EntryPtr e = tier->load("large");
  EXPECT_NE(e->forms[0].head.find("Content-Length: 3000001\r\n"), std::string::npos);
  EXPECT_TRUE(e->in_file());
}

TEST_F(DiskTierTest, ADocumentKeepsAllItsForms) {
  auto e = entry_of(noise(300'000, 1));
  e->forms.push_back(
      {"gzip", "\"z\"", std::make_shared<const std::string>(noise(90'000, 2)), "", {}});
  e->digests.push_back({"a-1.tgz", "", "sha512-x", ""});
  store("doc", e);
  start();
  const EntryPtr back = tier->load("doc");
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(read_all(back->forms[0].body), noise(300'000, 1));
  EXPECT_EQ(read_all(back->form(true).body), noise(90'000, 2));
  EXPECT_NE(back->digest_of("a-1.tgz"), nullptr);
}

TEST_F(DiskTierTest, TheLastStoredWinsAndTheErasedIsGone) {
  store("a", entry_of("one"));
  store("a", entry_of("two"));
  EXPECT_EQ(body_of("a"), "two");
  EXPECT_TRUE(tier->erase("a"));
  EXPECT_EQ(tier->load("a"), nullptr);
  EXPECT_FALSE(tier->erase("a"));
  start();
  EXPECT_EQ(tier->load("a"), nullptr);
  EXPECT_TRUE(files("new").empty());
}

TEST_F(DiskTierTest, TwoKeysWithTheSameBytesShareOneFile) {
  const std::string body = noise(500'000, 7);
  store("a", spooled(body));
  store("b", spooled(body));
  EXPECT_EQ(told["b"], DiskTier::Stored::shared);
  EXPECT_EQ(files("bodies").size(), 1U);
  EXPECT_LT(tier->bytes(), 600'000U);
  tier->erase("a");
  EXPECT_EQ(body_of("b"), body);
  const EntryPtr one = tier->load("b");
  store("c", spooled(body));
  const EntryPtr two = tier->load("c");
  EXPECT_EQ(std::get<FileBody>(one->forms[0].body).file,
            std::get<FileBody>(two->forms[0].body).file);
}

// Every byte of every file: what is damaged is a miss that is told, and never served.
TEST_F(DiskTierTest, AFlippedBitAnywhereIsAMiss) {
  const std::string small = noise(300, 1), large = noise(1'200'000, 2);
  Rng rng(5);
  int missed = 0;
  for (int round = 0; round < 150; ++round) {
    store("small", entry_of(small));
    store("large", spooled(large));
    const auto all = files("");
    ASSERT_EQ(all.size(), 3U);
    const fs::path victim = all[rng.bits() % all.size()];
    const auto at = static_cast<off_t>(rng.bits() % fs::file_size(victim));
    const int fd = ::open(victim.c_str(), O_RDWR);
    char byte = 0;
    ASSERT_EQ(::pread(fd, &byte, 1, at), 1);
    byte = static_cast<char>(byte ^ (1 << rng.bits() % 8));
    ASSERT_EQ(::pwrite(fd, &byte, 1, at), 1);
    ::close(fd);
    if (round % 2 == 0) start();  // also while the process that has written it runs
    for (const auto& [key, body] : {std::pair("small", &small), std::pair("large", &large)}) {
      const std::string got = body_of(key);
      if (got == "(none)") {
        ++missed;
      } else {
        ASSERT_EQ(got, *body) << victim << " at " << at;
      }
    }
    EXPECT_EQ(tier->erase("large") + tier->erase("small"), 1) << victim << " at " << at;
  }
  EXPECT_EQ(missed, 150);
  EXPECT_EQ(count("tanggul_cache_damaged_total"), 150);
}

// Of a large body only the beginning is looked at before it is handed out.
TEST_F(DiskTierTest, DamageFarWithinALargeBodyIsFoundAsItIsReadAndHealedByTheNextStore) {
  const std::string body = noise(70'000'000, 1);
  const auto damage = [&] {
    const auto file = files("bodies").front();
    const auto stored = fs::last_write_time(file);
    std::fstream(file, std::ios::in | std::ios::out).seekp(68'000'000).write("damage", 6);
    fs::last_write_time(file, stored);
  };
  store("a", spooled(body));
  damage();
  start();
  const EntryPtr hit = tier->load("a");
  ASSERT_NE(hit, nullptr);
  File& file = *std::get<FileBody>(hit->forms[0].body).file;
  EXPECT_TRUE(file.right(0, 1'000));
  EXPECT_FALSE(file.right(67'500'000, 2'000'000));
  EXPECT_FALSE(file.right(67'500'000, 2'000'000));
  EXPECT_FALSE(hit->current());
  EXPECT_EQ(count("tanggul_cache_damaged_total"), 1);
  EXPECT_EQ(tier->load("a"), nullptr);
  store("a", spooled(body));
  damage();
  start();
  // Nobody has read that far when the same bytes come again: the good ones win.
  store("b", spooled(body));
  EXPECT_EQ(told["b"], DiskTier::Stored::kept);
  EXPECT_EQ(body_of("b"), body);
}

TEST_F(DiskTierTest, ACutOrEmptyOrForeignFileIsAMiss) {
  for (const std::size_t left : {0UL, 1UL, 47UL, 48UL, 100UL}) {
    store("a", entry_of(noise(1000, 1)));
    for (const auto& f : files("entries")) fs::resize_file(f, left);
    EXPECT_EQ(tier->load("a"), nullptr) << left;
  }
  store("a", spooled(noise(1'000'000, 1)));
  for (const auto& f : files("bodies")) fs::resize_file(f, 999'999);
  start();
  EXPECT_EQ(tier->load("a"), nullptr);
  store("a", entry_of("x"));
  store("b", entry_of("y"));
  const auto both = files("entries");
  fs::copy_file(both[0], both[1], fs::copy_options::overwrite_existing);
  EXPECT_EQ((tier->load("a") ? 1 : 0) + (tier->load("b") ? 1 : 0), 1);  // under another's name
}

TEST_F(DiskTierTest, StaysWithinItsBoundAndKeepsWhatIsUsed) {
  capacity = 4_MiB;
  start();
  store("used", entry_of(noise(50'000, 1)));
  ASSERT_NE(tier->load("used"), nullptr);
  store("large and used", spooled(noise(400'000, 9)));
  ASSERT_NE(tier->load("large and used"), nullptr);
  for (int i = 0; i < 300; ++i) {
    store("crawl" + std::to_string(i),
          i % 3 == 0 ? spooled(noise(100'000, i)) : entry_of(noise(20'000, i)));
    ByteCount on_disk = 0;
    for (const auto& f : files("")) on_disk += Index::weight(fs::file_size(f));
    ASSERT_LE(on_disk, capacity);
    ASSERT_EQ(on_disk, tier->bytes());
  }
  EXPECT_GT(tier->evictions(), 100U);
  EXPECT_EQ(body_of("used"), noise(50'000, 1));
  EXPECT_EQ(body_of("large and used"), noise(400'000, 9));
  capacity = 1_MiB;  // the next process has less room
  start();
  EXPECT_LE(tier->bytes(), capacity);
}

TEST_F(DiskTierTest, WhatWasUsedIsStillPreferredAfterARestart) {
  capacity = 2_MiB;
  start();
  store("used", entry_of(noise(30'000, 1)));
  for (const auto& f : files("entries"))
    fs::last_write_time(f, fs::file_time_type::clock::now() - 1h);
  ASSERT_NE(tier->load("used"), nullptr);
  start();
  for (int i = 0; i < 200; ++i) store("crawl" + std::to_string(i), entry_of(noise(20'000, i)));
  EXPECT_NE(tier->load("used"), nullptr);
}

TEST_F(DiskTierTest, SoIsABodyOfItsOwnFile) {
  capacity = 2_MiB;
  start();
  const std::string body = noise(150'000, 1);
  store("used", spooled(body));
  for (const auto& f : files("")) fs::last_write_time(f, fs::file_time_type::clock::now() - 1h);
  start();
  ASSERT_EQ(body_of("used"), body);
  start();
  for (int i = 0; i < 200; ++i) store("crawl" + std::to_string(i), entry_of(noise(20'000, i)));
  EXPECT_EQ(body_of("used"), body);
}

TEST_F(DiskTierTest, ABodyThatIsBeingReadMayBeEvicted) {
  capacity = 4_MiB;
  start();
  const std::string body = noise(1'500'000, 1);
  store("read", spooled(body));
  const EntryPtr reading = tier->load("read");
  ASSERT_NE(reading, nullptr);
  EXPECT_TRUE(reading->current());
  tier->make_room(10_MiB);
  EXPECT_EQ(files("bodies").size(), 0U);
  EXPECT_TRUE(tier->take_retired());
  EXPECT_FALSE(reading->current());  // for others; the reader goes on
  EXPECT_EQ(read_all(reading->forms[0].body), body);
  // It is revalidated while somebody still holds it: its bytes get a new name.
  store("read", std::make_shared<const Entry>(*reading));
  start();
  EXPECT_EQ(body_of("read"), body);
}

TEST_F(DiskTierTest, AFileThatChangesUnderItsReadersIsNotCurrentAnyMore) {
  store("a", spooled(noise(500'000, 1)));
  const EntryPtr e = tier->load("a");
  EXPECT_TRUE(e->current());
  std::fstream(files("bodies").front(), std::ios::in | std::ios::out).write("X", 1);
  EXPECT_FALSE(e->current());
  EXPECT_EQ(tier->load("a"), nullptr);
}

TEST_F(DiskTierTest, WhatAnEndedProcessLeftHalfDoneIsSwept) {
  tier.reset();
  std::ofstream(fs::path(root) / "new" / "17") << "half";
  fs::create_directories(fs::path(root) / "entries" / "ab");
  std::ofstream(fs::path(root) / "entries" / "ab" / std::string(32, 'a'));  // a power cut's
  std::ofstream(fs::path(root) / "entries" / "ab" / "notes.txt") << "somebody's own";
  start();
  EXPECT_TRUE(files("new").empty());
  EXPECT_EQ(files("entries").size(), 1U);
  EXPECT_EQ(tier->objects(), 0U);
}

TEST_F(DiskTierTest, FoldersThatSomebodyRemovedAreMadeAgain) {
  store("a", entry_of("one"));
  fs::remove_all(root);
  store("b", entry_of("two"));
  store("b", entry_of("three"));
  EXPECT_EQ(tier->load("a"), nullptr);
  EXPECT_EQ(body_of("b"), "three");
}

TEST_F(DiskTierTest, WhatIsNoFileIsAMissAndMakesWayForOne) {
  for (const bool pipe : {true, false}) {
    store("small", entry_of("one"));
    store("large", spooled(noise(100'000, 1)));
    tier.reset();
    for (const auto& f : files("")) {
      fs::remove(f);
      if (pipe) {
        ASSERT_EQ(::mkfifo(f.c_str(), 0600), 0);
      } else {
        fs::create_directories(f / "with" / "something");
      }
    }
    start();
    EXPECT_EQ(tier->load("small"), nullptr);
    EXPECT_EQ(tier->load("large"), nullptr);
    store("small", entry_of("one"));
    store("large", spooled(noise(100'000, 1)));
    EXPECT_EQ(body_of("small"), "one");
    EXPECT_EQ(body_of("large"), noise(100'000, 1));
  }
}

TEST_F(DiskTierTest, WhatWasRemovedFromOutsideIsNotCountedAnyMore) {
  for (int i = 0; i < 10; ++i) store(std::to_string(i), entry_of("x"));
  fs::remove_all(root);
  store("new", entry_of("x"));
  EXPECT_EQ(tier->objects(), 1U);
  EXPECT_EQ(tier->bytes(), 4096U);
}

TEST_F(DiskTierTest, ADirectoryThatTakesNothingIsToldAndTheNextWriteTried) {
  fs::remove_all(root);
  std::ofstream(root) << "in the way";
  store("a", entry_of("one"));
  EXPECT_EQ(told["a"], DiskTier::Stored::failed);
  EXPECT_EQ(tier->load("a"), nullptr);
  EXPECT_NE(tier->trouble().find("Not a directory"), std::string::npos) << tier->trouble();
  EXPECT_GE(count("tanggul_cache_disk_errors_total"), 1);
  store("b", entry_of("two"));  // not tried while it rests
  EXPECT_EQ(told["b"], DiskTier::Stored::failed);
}

TEST_F(DiskTierTest, WithoutDescriptorsAReadIsAMissAndTheFileStays) {
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer looks at types through a pipe, for which it needs descriptors";
#endif
  store("a", entry_of("one"));
  store("b", spooled(noise(500'000, 1)));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::open("/dev/null", O_RDONLY);
  ::close(next);
  // Not even the entry can be opened; the entry, but not its body.
  for (const int more : {0, 1}) {
    const rlimit few{static_cast<rlim_t>(next + more), before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    const EntryPtr missed = tier->load("b");
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(missed, nullptr);
    EXPECT_FALSE(tier->trouble().empty());
  }
  EXPECT_EQ(body_of("a"), "one");
  EXPECT_EQ(body_of("b"), noise(500'000, 1));
}

TEST_F(DiskTierTest, WhatWaitsToBeWrittenIsFoundTheLatestOfItFirst) {
  const std::string first = noise(30'000'000, 1);
  for (int round = 0; round < 20; ++round) {
    tier->store("a", entry_of(first));  // written for a while
    tier->store("a", entry_of("second"));
    ASSERT_EQ(body_of("a"), "second") << round;
  }
}

TEST_F(DiskTierTest, StoresErasesAndReadsFromManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Rng rng(static_cast<std::uint64_t>(t));
      for (int i = 0; i < 300; ++i) {
        const auto n = rng.bits() % 8;
        const std::string key = "k" + std::to_string(n), body = noise(n * 30'000 + 1, n);
        switch (rng.bits() % 4) {
          case 0:
            tier->erase(key);
            break;
          case 1:
            tier->store(key, entry_of(body));
            break;
          case 2:
            tier->touch(key);
            break;
          case 3:
            if (const std::string got = body_of(key); got != "(none)" && got != body) ++wrong;
            break;
        }
      }
    });
  for (auto& t : threads) t.join();
  tier->wait_until_written();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tanggul::cache
