#include "shield/peer_fetch.h"

#include "base/base64.h"
#include "shield/cluster.h"
#include "shield/shared_cache.h"

namespace tanggul::shield {
namespace {

// A document of any size that is still one, in both of its forms.
constexpr ByteCount kMostCopy = 256_MiB;
constexpr Duration kPeerConnect = 1s;

bool is_ours(std::string_view name) {
  return iequals(name.substr(0, peer_field::kPrefix.size()), peer_field::kPrefix);
}

PeerResult result_of(const PeerSink& sink, const ports::FetchEnd& end) {
  if (!sink.answered()) return PeerResult::unreachable;
  switch (sink.kind()) {
    case PeerSink::Kind::nothing:
      return PeerResult::nothing;
    case PeerSink::Kind::streaming:
    case PeerSink::Kind::copy:
      return end.error && end.error != Errc::cancelled ? PeerResult::broken : PeerResult::served;
    case PeerSink::Kind::unshared:
    case PeerSink::Kind::other:
      break;
  }
  return PeerResult::served;
}

}  // namespace

std::string peer_target(PeerRequest::What what, std::string_view key) {
  std::string target = "/.tanggul/peer/";
  target += what == PeerRequest::What::flight ? "flight/" : "entry/";
  return target + shared_id(key);
}

bool PeerSink::on_head(http::ResponseHead head, ports::BodyFraming framing,
                       std::optional<ByteCount> length) {
  answered_ = true;
  http::Headers rest;
  for (const auto& h : head.headers) (is_ours(h.name) ? told_ : rest).add(h.name, h.value);
  const std::string_view copy = told_.find(peer_field::kCopy).value_or("");
  if (copy == "unshared") kind_ = Kind::unshared;
  if (copy == "copy") kind_ = Kind::copy;
  if (kind_ == Kind::copy) return length.value_or(0) <= kMostCopy;
  if (copy != "stream") return false;
  if (!suits_(told_)) {
    kind_ = Kind::other;
    return false;
  }
  kind_ = Kind::streaming;
  sink_ = make_(told_);
  head.headers = std::move(rest);
  return sink_->on_head(std::move(head), framing, length);
}

bool PeerSink::on_data(std::string_view bytes) {
  if (sink_) return sink_->on_data(bytes);
  if (copy_.size() + bytes.size() > kMostCopy) return false;
  copy_.append(bytes);
  return true;
}

Task<ports::FetchEnd> ask_peer(Outside outside, PeerRequest request, PeerSink& sink,
                               ports::Cancellation& cancel) {
  ports::OriginRequest r;
  r.base = request.address;
  r.target = peer_target(request.what, request.key);
  r.headers.add(std::string(peer_field::kKey), to_base64(request.key));
  r.headers.add(std::string(PeerAuth::kHeader),
                outside.cluster->auth().sign("GET", r.target, wall_now()));
  r.timeouts.connect = kPeerConnect;
  r.timeouts.first_byte = r.timeouts.idle = request.patience;
  r.timeouts.min_rate = 0;
  r.follow_redirects = false;
  r.tls.ca = outside.cluster->config().ca;
  ports::FetchEnd end = co_await outside.origin->fetch(r, sink, cancel);
  const bool left = end.error == Errc::cancelled && !sink.answered();
  if (!left) outside.cluster->note_peer(request.address, result_of(sink, end), end.detail);
  co_return end;
}

}  // namespace tanggul::shield
