#include "shield/once_reply.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <memory>

#include "shield/deliver.h"

namespace tanggul::shield {

void once_reply(ports::Reply& reply, int status, const boost::json::object& what) {
  auto owned = std::make_shared<std::pair<std::string, std::string>>();
  auto& [head, body] = *owned;
  body = boost::json::serialize(what) + "\n";
  head.append("HTTP/1.1 ").append(std::to_string(status)).append(" ");
  head.append(http::reason_phrase(status)).append("\r\nContent-Type: application/json\r\n");
  head.append("Cache-Control: no-store\r\nContent-Length: ");
  head.append(std::to_string(body.size())).append("\r\n");
  reply.status = status;
  reply.result = name(Outcome::pass);
  reply.head = head;
  reply.body = body;
  reply.owner = std::move(owned);
}

void once_refusal(ports::Reply& reply, int status, std::string_view type, std::string_view title,
                  std::string_view detail) {
  Provenance how;
  how.outcome = Outcome::error;
  reply.lines.clear();
  deliver_problem(reply, status, type, title, detail, "", status == 503 ? 1s : Duration::zero(),
                  how);
}

std::string who_of(std::string_view said, std::string_view client) {
  std::string out(said.empty() ? client : said.substr(0, 256));
  const auto unprintable = [](char c) { return c < ' ' || c > '~'; };
  std::replace_if(out.begin(), out.end(), unprintable, '?');
  return out;
}

}  // namespace tanggul::shield
