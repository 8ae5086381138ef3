#include "conformance/catalog_for_test.h"

namespace tanggul::test {
namespace {

const std::string kOld = "https://github.com/old/name", kNew = "https://github.com/new/name";

class CatalogIdentity : public CatalogTest {
 protected:
  sync::Visit numbered(const std::string& name, std::int64_t number,
                       const std::string& commit = kCommitA, Duration after = 0s) {
    sync::Visit out = visit(name, commit, "v1", kStart + after);
    out.repository.forge_id = number;
    return out;
  }
  sync::RepositoryFacts facts(const std::string& url, std::optional<std::int64_t> number = {}) {
    sync::RepositoryFacts out;
    out.url = url, out.forge = "github.com", out.forge_id = number;
    return out;
  }
};

TEST_P(CatalogIdentity, ItsNumberFollowsItToANewUrl) {
  catalog().commit(numbered("old/name", 7)).value();
  catalog().commit(numbered("new/name", 7, kCommitB, 1h)).value();
  EXPECT_EQ(ask("SELECT url FROM repositories"), kNew);
  const auto record = catalog().repository(kOld).value().value();
  EXPECT_EQ(record.facts.url, kNew);
  EXPECT_EQ(record.aliases, std::vector{kOld});
  EXPECT_EQ(record.snapshots.size(), 2U);
  EXPECT_EQ(record.first_seen, kStart);
  EXPECT_TRUE(catalog().has(kOld, kCommitB, "v1").value());
}

TEST_P(CatalogIdentity, TwoRowsThatAreOneRepositoryAreMerged) {
  catalog().commit(visit("old/name")).value();
  catalog().commit(visit("old/name", kCommitB, "v1", kStart + 3h)).value();
  catalog().commit(visit("new/name", kCommitA, "v1", kStart + 1h)).value();
  catalog().commit(visit("new/name", kCommitA, "v2", kStart + 2h)).value();
  catalog().tombstone({kOld, "not_found", "", "v1", kStart + 4h, {}}).value();
  catalog().renamed(kOld, facts(kNew, 7), kStart + 5h).value();
  EXPECT_EQ(ask("SELECT url FROM repositories"), kNew);
  EXPECT_EQ(ask("SELECT url FROM aliases"), kOld);
  EXPECT_EQ(ask("SELECT substr(commit_id, 1, 1) || release FROM snapshots ORDER BY 1"),
            "av1 av2 bv1");
  EXPECT_EQ(ask("SELECT substr(commit_id, 1, 1) FROM current_snapshots"), "b");
  EXPECT_EQ(ask("SELECT count(*) FROM links"), "6");
  EXPECT_EQ(ask("SELECT outcome FROM visits ORDER BY number"),
            "changed changed unchanged changed tombstone");
  EXPECT_EQ(ask("SELECT count(*) FROM tombstones"), "0") << "that of the old name";
  EXPECT_EQ(ask("SELECT forge_id FROM repositories"), "7");
  catalog().renamed(kOld, facts(kNew, 7), kStart + 5h).value();  // and again
  EXPECT_EQ(ask("SELECT count(*) FROM visits"), "5");
}

TEST_P(CatalogIdentity, ARenamedRepositoryKeepsWhatWasKnownOfIt) {
  sync::Visit old = numbered("old/name", 7);
  old.repository.description = "words";
  catalog().commit(old).value();
  catalog().renamed(kOld, facts(kNew), kStart + 1h).value();
  const auto record = catalog().repository(kNew).value().value();
  EXPECT_EQ(record.facts.description, "words");
  EXPECT_EQ(record.facts.forge_id, 7);
  EXPECT_EQ(record.next_visit, kStart + 24h);
  EXPECT_EQ(record.aliases, std::vector{kOld});
}

TEST_P(CatalogIdentity, AChainOfNamesLeadsToTheLast) {
  catalog().commit(visit("a/1")).value();
  for (const char* name : {"2", "3", "4"}) {
    const std::string from = ask("SELECT url FROM repositories");
    catalog().renamed(from, facts("https://github.com/a/" + std::string(name)), kStart).value();
  }
  for (const char* name : {"1", "2", "3", "4"})
    EXPECT_EQ(catalog().repository("https://github.com/a/" + std::string(name)).value()->facts.url,
              "https://github.com/a/4");
}

TEST_P(CatalogIdentity, ANameThatIsGivenAnewIsAnotherRepositorys) {
  catalog().commit(numbered("old/name", 7)).value();
  catalog().commit(numbered("old/name", 8, kCommitB, 1h)).value();  // 7 is gone, 8 has its name
  EXPECT_EQ(ask("SELECT url FROM repositories ORDER BY forge_id"), kOld + "#7 " + kOld);
  EXPECT_FALSE(catalog().has(kOld, kCommitA, "v1").value());
  catalog().commit(numbered("new/name", 7, kCommitA, 2h)).value();  // there it is
  EXPECT_EQ(ask("SELECT url FROM repositories ORDER BY forge_id"), kNew + " " + kOld);
  EXPECT_TRUE(catalog().has(kNew, kCommitA, "v1").value());
}

TEST_P(CatalogIdentity, TwoThatChangeNamesStayTheTwoThatTheyAre) {
  catalog().commit(numbered("old/name", 7, kCommitA)).value();
  catalog().commit(numbered("new/name", 8, kCommitB)).value();
  catalog().commit(numbered("new/name", 7, kCommitA, 1h)).value();
  catalog().commit(numbered("old/name", 8, kCommitB, 1h)).value();
  EXPECT_EQ(ask("SELECT url FROM repositories ORDER BY forge_id"), kNew + " " + kOld);
  EXPECT_TRUE(catalog().has(kNew, kCommitA, "v1").value());
  EXPECT_TRUE(catalog().has(kOld, kCommitB, "v1").value());
}

TEST_P(CatalogIdentity, AFormerNameLeadsNowhereElseOnceItIsAnothers) {
  catalog().commit(numbered("old/name", 7)).value();
  catalog().commit(numbered("new/name", 7, kCommitA, 1h)).value();
  catalog().commit(numbered("old/name", 8, kCommitB, 2h)).value();
  EXPECT_EQ(catalog().repository(kOld).value()->facts.forge_id, 8);
  EXPECT_EQ(catalog().repository(kNew).value()->facts.forge_id, 7);
}

INSTANTIATE_ON_BOTH_ENGINES(CatalogIdentity);

}  // namespace
}  // namespace tanggul::test
