#include "ports/plain_reply.h"

#include "tanggul/http/message.h"

namespace tanggul::ports {

void reply_with(Reply& reply, int status, std::string_view type, std::string body) {
  auto owned = std::make_shared<std::pair<std::string, std::string>>();
  auto& [head, held] = *owned;
  held = std::move(body);
  head.append("HTTP/1.1 ").append(std::to_string(status)).append(" ");
  head.append(http::reason_phrase(status)).append("\r\nContent-Type: ").append(type);
  head.append("\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff");
  head.append("\r\nContent-Length: ").append(std::to_string(held.size())).append("\r\n");
  reply.status = status;
  reply.head = head;
  reply.body = held;
  reply.owner = std::move(owned);
}

}  // namespace tanggul::ports
