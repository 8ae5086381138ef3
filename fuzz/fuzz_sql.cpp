// What reaches a SQL origin from outside: targets, queries' text, notifications, and what a
// database's values become.
#include <boost/json/parse.hpp>
#include <cstdint>

#include "adapters/postgres/types.h"
#include "base/utf8.h"
#include "check.h"
#include "registry/sql/kind.h"
#include "registry/sql/query_text.h"
#include "registry/sql/row_json.h"
#include "registry/sql/values.h"

using namespace tanggul;
namespace sql = registry::sql;

namespace {

sql::Mount mount() {
  std::string wrong;
  sql::Parameter shop, id, q, n;
  shop.name = "shop", shop.type = sql::Type::integer, shop.in_path = true;
  id.name = "id", id.in_path = true;
  q.name = "q", q.type = sql::Type::text, q.optional = true;
  n.name = "n", n.type = sql::Type::timestamp, n.fallback = "2024-02-29T12:30:00Z";
  return {*http::PathTemplate::parse("/s/{shop}/p/{id}", wrong), {shop, id, q, n}};
}

// A key reads as a target of the same key, and no byte of it is one that divides keys.
void targets(std::string_view rest) {
  static const auto kind = sql::make_sql(mount());
  http::RequestHead get;
  get.method = "GET";
  std::string key, again;
  const auto what = kind->classify(get, rest, "", key);
  if (what.way != registry::Classified::Way::cached) {
    FUZZ_CHECK(!kind->refusal(get, rest).text.empty());
    return;
  }
  for (const char c : key) FUZZ_CHECK(c > ' ' && c < 0x7f);
  FUZZ_CHECK(kind->serves(rest) > 0);
  FUZZ_CHECK(kind->classify(get, key, "", again).way == registry::Classified::Way::cached);
  FUZZ_CHECK(again == key);
  const auto values = sql::read_values(kind->plan(get, rest, what).target);
  FUZZ_CHECK(values && values->size() == 4);
  FUZZ_CHECK(sql::read_values(kind->plan(get, key, what).target) == values);
}

void notifications(std::string_view payload) {
  if (const auto changed = sql::changed(mount(), payload)) {
    for (const char c : changed->rest) FUZZ_CHECK(c > ' ' && c < 0x7f);
    FUZZ_CHECK(sql::make_sql(mount())->serves(changed->rest) > 0);
  }
}

void values(std::string_view text, unsigned type) {
  std::string out = "[";
  for (const auto append :
       {sql::append_string, sql::append_number, sql::append_base64, sql::append_timestamp}) {
    append(text, out);
    out += ',';
  }
  // json and jsonb come from a server that has checked them.
  constexpr unsigned kJson[] = {114, 3802, 199, 3807};
  if (std::find(std::begin(kJson), std::end(kJson), type) == std::end(kJson))
    postgres::append_value(type, text, out);
  else
    sql::append_json(text, out);
  out += "]";
  boost::system::error_code error;
  boost::json::parse_options options;
  options.max_depth = 600;
  boost::json::parse(out, error, {}, options);
  FUZZ_CHECK(!error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const unsigned type = data[1] * 256U + data[2];
  const std::string_view text(reinterpret_cast<const char*>(data) + 3, size - 3);
  switch (data[0] % 4) {
    case 0:
      targets("/" + std::string(text));
      targets(text);
      break;
    case 1:
      sql::fault_of(text, {"id", "q"});
      break;
    case 2:
      notifications(text);
      break;
    default:
      values(text, type);
  }
  if (const auto read = sql::read_values(text))
    FUZZ_CHECK(sql::read_values(sql::write_values(*read)) == read);
  return 0;
}
