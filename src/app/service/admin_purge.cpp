// POST /api/purge, a JSON object of up to four lists of strings:
//     {"urls": […], "prefixes": […], "origins": […], "tags": […]}
#include <boost/json.hpp>

#include "app/service/admin.h"
#include "base/log.h"
#include "ports/plain_reply.h"
#include "shield/cluster.h"
#include "shield/purge.h"

namespace tanggul::app {
namespace {

namespace json = boost::json;
constexpr std::size_t kLargest = 1_MiB;

// nullopt: it broke off or is too large.
Task<std::optional<std::string>> read_all(std::shared_ptr<ports::RequestBody> body) {
  std::string text;
  while (body) {
    char piece[4096];
    const auto got = co_await body->read_some(piece, sizeof piece);
    if (!got || text.size() + *got > kLargest) co_return std::nullopt;
    if (*got == 0) break;
    text.append(piece, *got);
  }
  co_return text;
}

// What is wrong with it; empty: nothing.
std::string parse(const std::string& text, shield::PurgeRequest& out) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) return "the body is no JSON object";
  for (const auto& [key, list] : *object) {
    auto* target = key == "urls"       ? &out.urls
                   : key == "prefixes" ? &out.prefixes
                   : key == "origins"  ? &out.origins
                   : key == "tags"     ? &out.tags
                                       : nullptr;
    if (target == nullptr) return "unknown key; there are urls, prefixes, origins and tags";
    if (!list.is_array()) return std::string(key) + " is no list";
    for (const json::value& each : list.get_array()) {
      if (!each.is_string() || each.get_string().empty())
        return std::string(key) + " holds something that is no text";
      target->emplace_back(each.get_string());
    }
  }
  const bool nothing =
      out.urls.empty() && out.prefixes.empty() && out.origins.empty() && out.tags.empty();
  return nothing ? "it names nothing" : "";
}

}  // namespace

Task<void> Admin::purge(ports::Call& call, ports::Reply& reply) {
  // No form of a web page can send this type without asking first.
  const auto type = call.head.find("content-type").value_or("");
  if (!iequals(type.substr(0, type.find(';')), "application/json")) {
    ports::reply_with(reply, 415, "text/plain", "send application/json\n");
    co_return;
  }
  const auto text = co_await read_all(call.body);
  if (!text) {
    ports::reply_with(reply, 413, "text/plain", "the body is too large, or was cut short\n");
    co_return;
  }
  shield::PurgeRequest request;
  if (const std::string wrong = parse(*text, request); !wrong.empty()) {
    ports::reply_with(reply, 400, "text/plain", wrong + "\n");
    co_return;
  }
  shield::PurgeResult result;
  co_await shield_.offload().run([&] { result = shield::purge(shield_, request); });
  json::array unknown(result.unknown.begin(), result.unknown.end());
  const int status = unknown.empty() ? 200 : 404;
  if (unknown.empty())
    log::info(
        "purged: {} URLs, {} prefixes, {} origins, {} tags; {} entries at hand and {} running "
        "fetches among them",
        request.urls.size(), request.prefixes.size(), request.origins.size(), request.tags.size(),
        result.entries, result.flights);
  if (!result.kept) log::error("a purge could not be written down: it ends with this process");
  json::object answer{
      {"entries", result.entries}, {"flights", result.flights}, {"unknown", std::move(unknown)}};
  if (!result.kept) answer["kept"] = false;
  // The counts are this node's. Out of reach, the others are told when they can be.
  if (cluster_ != nullptr) answer["cluster"] = json::object{{"reachable", cluster_->reachable()}};
  ports::reply_with(reply, status, "application/json", json::serialize(answer) + "\n");
}

}  // namespace tanggul::app
