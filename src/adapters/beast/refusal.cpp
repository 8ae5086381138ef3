#include "adapters/beast/refusal.h"

#include <string_view>

#include "http/date.h"
#include "tanggul/base/clock.h"
#include "tanggul/http/message.h"

namespace tanggul::beast {
namespace {

struct Words {
  std::string_view type, detail;
};

Words words(int status) {
  switch (status) {
    case 405:
      return {"method", "this method is not for a cache"};
    case 408:
      return {"request-timeout", "the request did not arrive in time"};
    case 413:
      return {"body-too-large", "the body is over max_body"};
    case 414:
      return {"target-too-long", "the request target is over 16 KiB"};
    case 431:
      return {"header-too-large", "the header block is over 64 KiB"};
    case 501:
      return {"transfer-coding", "the transfer coding is not known here"};
    case 505:
      return {"version", "HTTP/1.0 and HTTP/1.1 are spoken here"};
    default:
      return {"malformed-request", "the request is not well-formed HTTP/1.1"};
  }
}

std::string answer(int status, Words w) {
  const std::string_view reason = http::reason_phrase(status);
  std::string body = R"({"type":"urn:tanggul:problem:)";
  body.append(w.type).append(R"(","title":")").append(reason);
  body.append(R"(","status":)").append(std::to_string(status));
  body.append(R"(,"detail":")").append(w.detail).append("\"}\n");
  std::string out = "HTTP/1.1 ";
  out.append(std::to_string(status)).append(" ").append(reason);
  out.append("\r\nContent-Type: application/problem+json\r\nDate: ");
  out.append(http::format_date(wall_now()));
  out.append("\r\nContent-Length: ").append(std::to_string(body.size()));
  out.append("\r\nCache-Control: no-store\r\nCache-Status: tanggul; detail=").append(w.type);
  if (status == 405) out += "\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
  out.append("\r\nConnection: close\r\n\r\n").append(body);
  return out;
}

}  // namespace

std::string refusal(int status) { return answer(status, words(status)); }

std::string refusal_of_plain_http() {
  return answer(400, {"tls", "this port speaks TLS; ask it by https"});
}

}  // namespace tanggul::beast
