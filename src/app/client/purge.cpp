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
constexpr Duration kPatience = 15s;  // of a prefix all of the memory is looked through

std::string body_of(const PurgeQuery& query) {
  const auto list = [](const std::vector<std::string>& names) {
    return json::array(names.begin(), names.end());
  };
  return json::serialize(json::object{{"urls", list(query.urls)},
                                      {"prefixes", list(query.prefixes)},
                                      {"origins", list(query.origins)},
                                      {"tags", list(query.tags)}});
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

// What the other nodes know of it; empty: there are none, or the shield is too old to say.
std::string_view others_told(const json::object& told) {
  const json::value* cluster = told.if_contains("cluster");
  const json::object* object = cluster == nullptr ? nullptr : cluster->if_object();
  const json::value* reachable = object == nullptr ? nullptr : object->if_contains("reachable");
  if (reachable == nullptr || !reachable->is_bool()) return "";
  return reachable->get_bool() ? " here; told to the other nodes"
                               : " here; the other nodes cannot be told now and hear of it once "
                                 "Redis is back";
}

// Of what a URL or a prefix covers it is told how much there was; of an origin or a tag nobody has
// counted.
std::string told_to_people(const PurgeQuery& query, const json::object& told) {
  std::string whole;
  const auto add = [&](std::string_view what, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      whole += fmt::format("{}{} {}", whole.empty() ? "" : ", ", what, printable(name));
  };
  add("origin", query.origins);
  add("tag", query.tags);
  if (!whole.empty()) whole = "everything of " + whole;
  const bool counted = !query.urls.empty() || !query.prefixes.empty();
  const std::string entries = counted ? count(told, "entries") + " entries" : "";
  return fmt::format("purged {}{}{} and {} running fetches{}", whole,
                     counted && !whole.empty() ? ", " : "", entries, count(told, "flights"),
                     others_told(told));
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
    console.out << told_to_people(query, *told) << '\n';
  }
  if (const json::value* kept = told->if_contains("kept"); kept && *kept == json::value(false)) {
    console.err << "The purge holds until the shield ends: it could not be written to the data "
                   "directory.\n";
    return kFailed;
  }
  return kDone;
}

}  // namespace tanggul::app
