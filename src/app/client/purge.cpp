#include "app/client/purge.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <ostream>

#include "app/client/http_exchange.h"
#include "base/bytes.h"

namespace tanggul::app {
namespace {

namespace json = boost::json;
constexpr std::size_t kLongestLine = 200;
constexpr Duration kPatience = 15s;  // a large cache is looked through

std::string body_of(const PurgeQuery& query) {
  const auto list = [](const std::vector<std::string>& names) {
    return json::array(names.begin(), names.end());
  };
  return json::serialize(json::object{{"urls", list(query.urls)},
                                      {"prefixes", list(query.prefixes)},
                                      {"origins", list(query.origins)}});
}

std::string count(const json::object& answer, std::string_view key) {
  const json::value* n = answer.if_contains(key);
  return n != nullptr && n->is_number() ? json::serialize(*n) : "0";
}

// The first line of what another program sent.
std::string_view trim_line(std::string_view body) {
  return trim(body.substr(0, std::min(body.find_first_of("\r\n"), kLongestLine)));
}

std::string unknown(const json::object& answer) {
  std::string names;
  const json::value* list = answer.if_contains("unknown");
  if (list == nullptr || !list->is_array()) return names;
  for (const json::value& name : list->get_array())
    names.append(names.empty() ? "" : ", ").append(json::serialize(name));
  return names;
}

}  // namespace

int purge(const PurgeQuery& query, bool as_json, const Console& console) {
  const auto url = admin_url(query.admin, false, console);
  if (!url) return kWrongUsage;
  const HttpAsk ask{
      .method = "POST", .target = "/api/purge", .token = query.admin.token, .json = body_of(query)};
  const HttpAnswer answer = http_exchange(*url, ask, kPatience);
  if (answer.status == 0) {
    console.err << fmt::format("No shield answers at {}: {}.\n", url->text(), answer.error);
    return kFailed;
  }
  boost::system::error_code error;
  const json::value value = json::parse(answer.body, error);
  const json::object* told = error ? nullptr : value.if_object();
  if (answer.status == 404 && told != nullptr) {
    console.err << fmt::format("error: nothing was purged: no origin has {}\n", unknown(*told));
    return kWrongUsage;
  }
  if (answer.status == 401) {
    console.err << refused_with(*url, answer.status, "answer") << '\n';
    return kFailed;
  }
  if (answer.status != 200 || told == nullptr) {
    console.err << fmt::format("{} answers {}: {}\n", url->text(), answer.status,
                               answer.body.empty() ? "nothing" : printable(trim_line(answer.body)));
    return kFailed;
  }
  if (as_json) {
    console.out << answer.body;
  } else {
    console.out << fmt::format("purged {} entries and {} running fetches\n",
                               count(*told, "entries"), count(*told, "flights"));
  }
  return kDone;
}

}  // namespace tanggul::app
