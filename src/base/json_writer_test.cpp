#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace tanggul {
namespace {

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  JsonWriter json;
  json.begin_object()
      .field("a", "b")
      .key("c")
      .begin_array()
      .number(std::uint64_t{1})
      .null()
      .boolean(true);
  json.begin_object().end_object().end_array().key("d").number_text("1.50").end_object();
  EXPECT_EQ(json.text(), R"({"a":"b","c":[1,null,true,{}],"d":1.50})");
}

TEST(JsonWriter, WritesStringsThatEveryReaderTakes) {
  JsonWriter json;
  json.begin_array().string("\"\\\n\t\x01\x7f\xff\u00e9").end_array();
  EXPECT_EQ(json.text(), "[\"\\\"\\\\\\n\\t\\u0001\\u007f?\u00e9\"]");
}

TEST(JsonWriter, WritesDoublesShortAndNeverInfinity) {
  JsonWriter json;
  json.begin_array()
      .number(0.1)
      .number(1e300)
      .number(-2.0)
      .number(std::numeric_limits<double>::infinity())
      .end_array();
  EXPECT_EQ(json.text(), "[0.1,1e+300,-2,null]");
}

TEST(JsonWriter, GivesItsPiecesToAStream) {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_array();
  for (int i = 0; i < 1000; ++i) json.begin_array().string(std::string(1000, 'x')).end_array();
  json.end_array();
  EXPECT_LT(json.text().size(), 100'000U);
  EXPECT_GT(out.str().size(), 900'000U);
  json.flush();
  EXPECT_EQ(out.str().size(), 2 + 1000 * 1004 + 999U);
}

}  // namespace
}  // namespace tanggul
