#include "adapters/git/tree_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tanggul::git {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kId(40, 'a');

std::string record(const std::string& head, const std::string& path) {
  return head + " " + kId + "\t" + path + std::string(1, '\0');
}

std::vector<std::string> taken(std::string_view bytes, std::size_t piece, TreeRecords& records) {
  std::vector<std::string> out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    records.take(bytes.substr(0, piece), [&](const TreeEntry& entry) {
      out.push_back(std::string("flo").substr(static_cast<std::size_t>(entry.kind), 1) + " " +
                    std::string(entry.path));
      return true;
    });
  }
  return out;
}

TEST(TreeRecords, AreTheSameWhereverThePiecesEnd) {
  const std::string bytes = record("100644 blob", "a") + record("100755 blob", "b\tc\nd") +
                            record("120000 blob", "link") + record("160000 commit", "sub");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    TreeRecords records;
    EXPECT_THAT(taken(bytes, piece, records), ElementsAre("f a", "f b\tc\nd", "l link", "o sub"));
    EXPECT_EQ(records.left_out(), 0U);
  }
}

TEST(TreeRecords, WhatIsNoRecordIsLeftOut) {
  TreeRecords records;
  std::string bytes = std::string("nonsense") + '\0' + '\0' + "\t" + '\0' + "100644 blob xyz\tp" +
                      '\0' + "100644\tp" + '\0';
  EXPECT_THAT(taken(bytes + record("100644 blob", "") + record("100644 blob", "good"), 7, records),
              ElementsAre("f good"));
  EXPECT_EQ(records.left_out(), 6U);
}

TEST(TreeRecords, ANameWithoutEndIsNotKept) {
  TreeRecords records;
  const std::string bytes =
      record("100644 blob", std::string(1'000'000, 'x')) + record("100644 blob", "good");
  EXPECT_THAT(taken(bytes, 1000, records), ElementsAre("f good"));
  EXPECT_EQ(records.left_out(), 1U);
}

TEST(TreeRecords, EndWhenNoMoreAreWanted) {
  TreeRecords records;
  int seen = 0;
  EXPECT_FALSE(records.take(record("100644 blob", "a") + record("100644 blob", "b"),
                            [&](const TreeEntry&) { return ++seen < 1; }));
  EXPECT_EQ(seen, 1);
}

TEST(TreeRecords, AnObjectIdIsOfOneOfTwoLengths) {
  EXPECT_TRUE(is_object_id(std::string(40, '0')));
  EXPECT_TRUE(is_object_id(std::string(64, 'f')));
  EXPECT_FALSE(is_object_id(std::string(41, 'f')));
  EXPECT_FALSE(is_object_id(std::string(40, 'F')));
  EXPECT_FALSE(is_object_id(""));
}

}  // namespace
}  // namespace tanggul::git
