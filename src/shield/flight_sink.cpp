#include "shield/flight_sink.h"

#include <cerrno>

#include "shield/client_headers.h"

namespace tanggul::shield {
namespace {

// A document is read whole into memory to be rewritten; nothing real comes near this.
constexpr ByteCount kMostDocument = 512_MiB;
// Of a window whose origin cannot be made to wait for the readers.
constexpr ByteCount kHighWindow = 65_MiB;

}  // namespace

FlightSink::FlightSink(cache::Flight& flight, Rules rules, Judge judge, Share share)
    : flight_(flight),
      rules_(std::move(rules)),
      judge_(std::move(judge)),
      share_(std::move(share)) {
  if (rules_.digest) digest_.emplace(rules_.digest->kind);
  if (!rules_.resumption) return;
  exposed_ = true;
  passed_over_ = flight.spool().size();
}

bool FlightSink::on_head(http::ResponseHead head, ports::BodyFraming framing,
                         std::optional<ByteCount> length) {
  head_ = std::move(head);
  framing_ = framing;
  length_ = length;
  if (head_.status < 200 || head_.status > 599) return refuse(Errc::bad_response);
  lifetime_ = judge_(head_.status, head_.headers);
  // A new version is no fault of the origin's.
  if (rules_.resumption) return goes_on_as(*rules_.resumption) || refuse(Errc::cancelled);
  // A document names the digest of an artifact, not of the error page in its place.
  if (head_.status != 200) digest_.reset();
  if (rules_.whole_up_to && head_.status == 200 && length_.value_or(0) > *rules_.whole_up_to)
    return refuse(Errc::over_passthrough);
  if (length_ && *length_ > rules_.max_object) return refuse(Errc::too_large);

  // A failure's own body matters only where it is passed on: by configuration, or because the
  // origin gave it a lifetime.
  const bool failed = head_.status >= 500 || head_.status == 429;
  const bool keep = rules_.as_sent || (lifetime_.storable && lifetime_.explicit_freshness);
  drop_body_ = (failed && !keep) || (head_.status == 304 && rules_.revalidating);
  if (drop_body_) return true;
  flight_.expect_length(length_);
  // A failure is remembered, so it is worth waiting for even when nobody does any more.
  if (!lifetime_.storable && head_.status < 400) flight_.set_cacheable(false);
  if (rules_.document && head_.status == 200) return true;
  if (failed && !rules_.pass) return true;  // it may be tried again
  if (!worth_holding()) expose();
  return true;
}

// Without a length only what the origin itself calls cacheable: anything else may be a stream of
// events that somebody waits for one by one.
bool FlightSink::worth_holding() const {
  if (rules_.pass) return false;
  if (length_) return *length_ <= kHeld;
  const auto type = head_.headers.find("content-type").value_or("");
  return lifetime_.storable && lifetime_.explicit_freshness && !lifetime_.no_cache &&
         !type.starts_with("text/event-stream");
}

bool FlightSink::on_data(std::string_view bytes) {
  if (drop_body_) return true;
  if (digest_) digest_->update(bytes);
  if (passed_over_ > 0) {
    const std::size_t over = std::min<ByteCount>(passed_over_, bytes.size());
    bytes.remove_prefix(over);
    passed_over_ -= over;
    if (bytes.empty()) return true;
  }
  const ByteCount size = flight_.spool().size() + bytes.size();
  if (size > rules_.max_object) return refuse(Errc::too_large);
  if (rules_.document && size > kMostDocument) return refuse(Errc::too_large);
  if (!append(bytes)) return refuse(Errc::io);
  if (exposed_) {
    flight_.progress();
  } else if (size > kHeld && !(rules_.document && head_.status == 200)) {
    expose();
  }
  return true;
}

// What the disk does not take goes through memory, at the pace of whoever reads it.
bool FlightSink::append(std::string_view bytes) {
  cache::Spool& spool = flight_.spool();
  const ByteCount before = spool.size();
  const auto left = [&] { return bytes.substr(spool.size() - before); };
  if (windowed_ && spool.window()->held() > kHighWindow) return false;  // could not be made to wait
  if (spool.append(bytes)) return true;
  const ByteCount all = std::max(length_.value_or(0), before + bytes.size());
  if (rules_.make_room && rules_.make_room(errno, all - spool.size()) && spool.append(left()))
    return true;
  windowed_ = true;
  flight_.open_window();
  return spool.append(left()).has_value();
}

bool FlightSink::ready() {
  // Of what nobody reads yet append() refuses what is too much: waiting would be for ever.
  return !windowed_ || !exposed_ ||
         flight_.window_has_room(MonoClock::now(), rules_.timeouts.idle, rules_.timeouts.min_rate);
}

void FlightSink::expose() {
  cache::OpenHead open;
  open.status = head_.status;
  open.headers = client_headers(head_.headers, rules_.registry && !rules_.pass);
  open.length = length_;
  open.hold_last_byte = length_.has_value() || digest_.has_value();
  exposed_ = true;
  flight_.open(std::move(open), share_(lifetime_, head_.headers));
}

bool FlightSink::goes_on_as(const Resumption& before) const {
  return head_.status == before.status && length_ == before.length &&
         head_.headers.find("etag").value_or("") == before.etag &&
         head_.headers.find("content-encoding").value_or("") == before.encoding;
}

std::optional<FlightSink::Resumption> FlightSink::resumption() const {
  const std::string_view etag = head_.headers.find("etag").value_or("");
  const bool strong = etag.size() > 2 && etag.front() == '"';
  // With a digest the end tells, whatever the tag.
  if (!exposed_ || windowed_ || !length_ || (!strong && !rules_.digest)) return std::nullopt;
  return Resumption{head_.status, std::string(etag), *length_,
                    std::string(head_.headers.find("content-encoding").value_or(""))};
}

bool FlightSink::digest_fits() { return !digest_ || digest_->finish() == rules_.digest->value; }

}  // namespace tanggul::shield
