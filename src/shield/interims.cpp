#include "shield/interims.h"

namespace tanggul::shield {

void Interims::put(http::ResponseHead head) {
  if (++count_ > kMost) return;
  http::strip_hop_by_hop(head.headers);
  heads_.append("HTTP/1.1 ").append(std::to_string(head.status)).append(" ");
  heads_.append(http::reason_phrase(head.status)).append("\r\n");
  for (const auto& h : head.headers)
    heads_.append(h.name).append(": ").append(h.value).append("\r\n");
  heads_ += "\r\n";
  waiter_->wake();
}

}  // namespace tanggul::shield
