#include "registry/sql/query_text.h"

#include <gtest/gtest.h>

namespace tanggul::registry::sql {
namespace {

std::string fault(std::string_view text, const std::vector<std::string>& names = {"id"}) {
  return fault_of(text, names).value_or("none");
}

TEST(SqlQueryTextTest, TakesOneReadingStatement) {
  for (const auto* text : {
           "SELECT id, name, price FROM products WHERE id = $1",
           "select * from p where id = $1;",
           "  -- a comment with ' and {id}\n SELECT $1::int /* and /* nested */ $9 */",
           "WITH a AS (SELECT 1) SELECT * FROM a WHERE x = $1",
           "(SELECT $1) UNION (SELECT 2)",
           "SELECT 'it''s {other}', \"odd;name\" FROM p WHERE id = $1 AND x = E'a\\'b;'",
           "SELECT $$ text; with 'quotes' $$, $tag$ and $$ $tag$ FROM p WHERE id = $1",
           "SELECT a->'b', '{1,2}'::int[] FROM p WHERE a @> $1::jsonb",
           "SELECT data #>> '{id}', data #> '{id,x}', a[1:id], foo$bar, '{id}'::text[] FROM p "
           "WHERE x ? 'k' AND id = $1",
       })
    EXPECT_EQ(fault(text), "none") << text;
}

TEST(SqlQueryTextTest, RefusesWhatWouldSpliceValuesIntoText) {
  EXPECT_EQ(fault("SELECT * FROM p WHERE id = {id}"),
            "splices a value into its text; values are bound, write $1");
  EXPECT_EQ(fault("SELECT * FROM p WHERE id = '{id}'"),
            "splices {id} into a string; values are bound, write $1 || '…'");
  EXPECT_EQ(fault("SELECT * FROM p WHERE name LIKE '%$1%'"),
            "has $1 within quotes, where nothing is bound; write $1 || '…'");
  EXPECT_EQ(fault("SELECT * FROM p WHERE id = :id"),
            "names a parameter by :; values are bound by number, write $1");
  EXPECT_EQ(fault("SELECT * FROM p WHERE id = @id"),
            "names a parameter by @; values are bound by number, write $1");
  EXPECT_EQ(fault("SELECT * FROM p ORDER BY ${id}"),
            "splices a value into its text; values are bound, write $1");
}

TEST(SqlQueryTextTest, RefusesWhatDoesNotReadOrDoesNotFit) {
  EXPECT_EQ(fault("DELETE FROM p WHERE id = $1"), "does not read; write one SELECT");
  EXPECT_EQ(fault("", {}), "does not read; write one SELECT");
  EXPECT_EQ(fault("SELECT $1; DROP TABLE p"), "is more than one statement; write one");
  EXPECT_EQ(fault("SELECT $2"), "uses $2, and there is one parameter");
  EXPECT_EQ(fault("SELECT $1", {}),
            "uses $1, and there is none; write it as {…} into mount, or into params");
  EXPECT_EQ(fault("SELECT $01"), "uses $01, and there is one parameter");
  EXPECT_EQ(fault("SELECT $0"), "uses $0, and there is one parameter");
  EXPECT_EQ(fault("SELECT $1", {"id", "q"}), "never uses q; bind it as $2");
  EXPECT_EQ(fault("SELECT 'open"), "has a quote that does not end");
}

}  // namespace
}  // namespace tanggul::registry::sql
