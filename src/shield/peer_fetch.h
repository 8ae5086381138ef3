#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cache/copy_format.h"
#include "ports/origin.h"
#include "shield/flight_sink.h"
#include "shield/outside.h"

namespace tanggul::shield {

// What another node is asked for, below /.tanggul/peer/ of its address: the flight of a flight key,
// running there, or what it has stored under a key. See PeerEndpoint.
struct PeerRequest {
  enum class What { flight, entry };
  What what = What::flight;
  std::string address;  // scheme://host:port
  std::string key;
  Duration patience = 10s;  // without a byte
};

// Takes another node's answer. A body that streams goes into the flight as one from an origin
// would; everything else is small and is read here.
class PeerSink final : public ports::ResponseSink {
 public:
  enum class Kind {
    nothing,    // no answer, or it has nothing of the kind
    streaming,  // into the flight, through flight_sink()
    copy,       // an entry with its bodies, or a failure
    unshared,   // its answer may not be shared
    other,      // it streams another variant than was asked for, or another version
  };
  // `ours`: whether a head suits; by the header fields that the other node adds to it.
  using Suits = std::function<bool(const http::Headers& told)>;
  using MakeSink = std::function<std::unique_ptr<FlightSink>(const http::Headers& told)>;
  PeerSink(Suits suits, MakeSink make) : suits_(std::move(suits)), make_(std::move(make)) {}

  bool on_head(http::ResponseHead head, ports::BodyFraming framing,
               std::optional<ByteCount> length) override;
  bool on_data(std::string_view bytes) override;
  bool ready() override { return !sink_ || sink_->ready(); }

  Kind kind() const noexcept { return kind_; }
  bool answered() const noexcept { return answered_; }
  std::unique_ptr<FlightSink> take_sink() { return std::move(sink_); }
  FlightSink* sink() const noexcept { return sink_.get(); }
  const http::Headers& told() const noexcept { return told_; }
  std::string take_copy() { return std::move(copy_); }

 private:
  const Suits suits_;
  const MakeSink make_;
  Kind kind_ = Kind::nothing;
  bool answered_ = false;  // there was a head
  http::Headers told_;     // the fields of the cluster's own
  std::unique_ptr<FlightSink> sink_;
  std::string copy_;
};

// Fields of the cluster's own on requests and answers among nodes.
namespace peer_field {
inline constexpr std::string_view kPrefix = "tanggul-";
inline constexpr std::string_view kKey = "Tanggul-Key";           // base64
inline constexpr std::string_view kCopy = "Tanggul-Copy";         // stream, copy, unshared
inline constexpr std::string_view kVary = "Tanggul-Vary";         // base64 of names, one a line
inline constexpr std::string_view kValues = "Tanggul-Values";     // base64
inline constexpr std::string_view kKeep = "Tanggul-Keep";         // the copy may be stored
inline constexpr std::string_view kStored = "Tanggul-Stored-At";  // nanoseconds since 1970
}  // namespace peer_field

std::string peer_target(PeerRequest::What what, std::string_view key);

// How asking went: the end of the exchange; what came is in the sink.
Task<ports::FetchEnd> ask_peer(Outside outside, PeerRequest request, PeerSink& sink,
                               ports::Cancellation& cancel);

}  // namespace tanggul::shield
