#include "cache/spool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

namespace tanggul::cache {
namespace {

std::string pattern(ByteCount size) {
  std::string s(size, '\0');
  for (ByteCount i = 0; i < size; ++i) s[i] = static_cast<char>(i * 31 + i / 251);
  return s;
}

std::string read_run(const Spool::Run& run) {
  if (run.descriptor < 0) return std::string(run.memory);
  std::string out(run.size, '\0');
  EXPECT_EQ(::pread(run.descriptor, out.data(), run.size, static_cast<off_t>(run.offset)),
            static_cast<ssize_t>(run.size));
  return out;
}

std::string read_all(const Spool& spool, ByteCount until) {
  std::string out;
  while (out.size() < until)
    if (spool.size() > out.size()) out += read_run(spool.at(out.size(), 10'000));
  return out;
}

const std::string kDirectory = std::filesystem::temp_directory_path().string();

TEST(Spool, HoldsWhatWasWrittenOnBothSidesOfTheMemoryLimit) {
  for (const ByteCount size : {ByteCount{0}, ByteCount{1}, 16_KiB, Spool::kMemory - 1,
                               Spool::kMemory, Spool::kMemory + 1, 3 * Spool::kMemory}) {
    const std::string body = pattern(size);
    for (const auto expected : {std::optional<ByteCount>(), std::optional<ByteCount>(size),
                                std::optional<ByteCount>(7), std::optional<ByteCount>(100'000)}) {
      Spool spool(kDirectory, expected);
      for (std::size_t at = 0; at < body.size(); at += 5000)
        ASSERT_TRUE(spool.append(std::string_view(body).substr(at, 5000)));
      EXPECT_EQ(spool.size(), size);
      EXPECT_EQ(read_all(spool, size), body);
      EXPECT_EQ(*spool.bytes(), body);
    }
  }
}

TEST(Spool, StaysInMemoryUpToItsLimitAndLeavesNoNameBehind) {
  Spool small(kDirectory, std::nullopt), large(kDirectory, std::nullopt);
  ASSERT_TRUE(small.append(pattern(Spool::kMemory)));
  EXPECT_EQ(small.file(), nullptr);
  ASSERT_TRUE(large.append(pattern(Spool::kMemory + 1)));
  ASSERT_NE(large.file(), nullptr);
}

TEST(Spool, ReadersFollowAWriterFromByteZero) {
  const std::string body = pattern(1_MiB + 17);
  Spool spool(kDirectory, std::nullopt);
  std::vector<std::string> seen(3);
  std::vector<std::thread> readers;
  for (auto& s : seen) readers.emplace_back([&] { s = read_all(spool, body.size()); });
  for (std::size_t at = 0; at < body.size(); at += 1777)
    ASSERT_TRUE(spool.append(std::string_view(body).substr(at, 1777)));
  for (auto& r : readers) r.join();
  for (const auto& s : seen) EXPECT_EQ(s, body);
}

TEST(Spool, SaysSoWhenTheDirectoryTakesNoFile) {
  Spool spool("/nowhere/at/all", std::nullopt);
  ASSERT_TRUE(spool.append(pattern(Spool::kMemory)));
  const auto more = spool.append("x");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error(), Errc::io);
}

}  // namespace
}  // namespace tanggul::cache
