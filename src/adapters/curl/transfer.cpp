#include "adapters/curl/transfer.h"

#include <curl/curl.h>

#include <algorithm>

#include "adapters/curl/outcome.h"

namespace tanggul::curl {
namespace {

constexpr ByteCount kMaxDiscarded = 64_KiB;  // of a redirect's body, to keep its connection
constexpr Duration kLookForRoom = 1s;        // while the receiver is not ready

}  // namespace

Transfer::Transfer(std::shared_ptr<MultiDriver> driver, const CurlConfig& config, HopRequest hop,
                   ports::ResponseSink& sink, async::WaiterPtr waiter)
    : driver_(std::move(driver)),
      config_(config),
      hop_(std::move(hop)),
      sink_(sink),
      waiter_(std::move(waiter)),
      easy_(driver_->take_easy()),
      entered_(MonoClock::now()),
      reader_(hop_.request->method == "HEAD", config_.max_head) {
  ports::RequestBody* body = hop_.request->body;
  if (body && hop_.request->method != "HEAD" && body->length() != ByteCount{0}) {
    upload_ = std::make_shared<Upload>(waiter_, *body);
  }
}

Transfer::~Transfer() {
  stop();
  curl_slist_free_all(lines_);
}

void Transfer::start() {
  if (!configure(*this)) return fail(Errc::bad_input, "the request cannot be sent as it is");
  added_ = driver_->add(*this);
  if (!added_) return fail(Errc::internal, "libcurl did not take the request");
}

void Transfer::stop() noexcept {
  if (upload_) upload_->stop();
  if (added_) driver_->remove(*this);
  added_ = false;
  if (easy_) driver_->give_back(easy_);
  easy_ = nullptr;
}

void Transfer::fail(Errc error, std::string detail) {
  if (phase_ == Phase::done) return;
  error_ = error;
  detail_ = std::move(detail);
  enter(Phase::done);
}

void Transfer::enter(Phase phase) {
  phase_ = phase;
  entered_ = MonoClock::now();
  // The coroutine sleeps until armed_: it must hear of an earlier time, and of the end.
  if (phase == Phase::done || deadline() < armed_) waiter_->wake();
}

MonoTime Transfer::deadline() const {
  const ports::OriginTimeouts& t = hop_.request->timeouts;
  switch (phase_) {
    case Phase::connecting:
      return entered_ + t.connect;
    // Waiting for the client is the client's server's business, waiting for the origin ours.
    case Phase::sending:
      return upload_->starved() ? kForever : entered_ + t.idle;
    case Phase::waiting:
      return entered_ + t.first_byte;
    case Phase::receiving:
      if (body_paused_) return kForever;  // the readers' doing
      return std::min(last_byte_, window_start_) + t.idle;
    case Phase::done:
      break;
  }
  return kForever;
}

MonoTime Transfer::check_timeouts(MonoTime now) {
  const ports::OriginTimeouts& t = hop_.request->timeouts;
  if (phase_ == Phase::receiving && now >= window_start_ + t.idle) {
    const double least = static_cast<double>(t.min_rate) * seconds(now - window_start_);
    if (static_cast<double>(window_bytes_) >= least) {
      window_start_ = now;
      window_bytes_ = 0;
    }
  }
  armed_ = deadline();
  if (body_paused_) return std::min(armed_, now + kLookForRoom);
  if (now < armed_) return armed_;
  switch (phase_) {
    case Phase::connecting:
      fail(Errc::connect_timeout, "no connection in time");
      break;
    case Phase::waiting:
      fail(Errc::first_byte_timeout, "no response head in time");
      break;
    case Phase::sending:
      fail(Errc::stalled, "the origin takes no more of the body");
      break;
    default:
      fail(Errc::stalled, "the body stands still or drips below min_rate");
      break;
  }
  return kForever;
}

bool Transfer::may_open(std::string_view address) {
  if (sent_) {  // libcurl wants to send the same again on a new connection
    fail(Errc::stale_connection, "the pooled connection had been closed");
    return false;
  }
  if (hop_.public_only && config_.is_internal(address)) {
    refused_address_ = true;  // another address of the same name may still do
    return false;
  }
  ++opened_;
  return true;
}

bool Transfer::may_send(std::string_view address) {
  if (sent_) {
    fail(Errc::stale_connection, "the pooled connection had been closed");
    return false;
  }
  internal_ = config_.is_internal(address);
  if (hop_.public_only && internal_) {  // a pooled connection, opened on behalf of another upstream
    fail(Errc::forbidden_address, "a redirect leads to an internal address");
    return false;
  }
  sent_ = true;
  enter(upload_ ? Phase::sending : Phase::waiting);
  // Not before there is a connection: a body that has not been touched can still be sent later.
  if (upload_) upload_->start([this] { resume_upload(); });
  return true;
}

bool Transfer::on_header(std::string_view line) {
  switch (reader_.line(line)) {
    case HeadReader::Step::more:
      return true;
    case HeadReader::Step::interim:
      sink_.on_interim(reader_.take_interim());
      return true;
    case HeadReader::Step::complete:
      return deliver_head();
    case HeadReader::Step::bad:
      break;
  }
  fail(Errc::bad_response, "the response head is malformed or too large");
  return false;
}

bool Transfer::deliver_head() {
  last_byte_ = window_start_ = MonoClock::now();
  enter(Phase::receiving);
  // libcurl stops sending at an error, but would still wait for a paused body to go on.
  if (reader_.head().status >= 400) unpause();
  const auto location = reader_.head().headers.find("location");
  if (hop_.may_redirect && is_redirect(reader_.head().status) && location) {
    location_ = *location;
    return true;
  }
  const ports::BodyFraming framing = reader_.framing();
  std::optional<ByteCount> length = reader_.length();
  http::ResponseHead head = reader_.take();
  const std::string coding = to_lower(head.headers.joined("content-encoding"));
  if (hop_.request->decode && framing != ports::BodyFraming::none && !coding.empty() &&
      coding != "identity") {
    if (coding != "gzip" && coding != "x-gzip") {
      fail(Errc::bad_response, "gzip was asked for, the body is " + coding);
      return false;
    }
    gunzip_ = std::make_unique<Gunzip>();
    head.headers.remove("content-encoding");
    length.reset();
  }
  if (sink_.on_head(std::move(head), framing, length)) return true;
  fail(Errc::cancelled, "the receiver wants no more");
  return false;
}

Transfer::Body Transfer::on_body(std::string_view bytes) {
  if (!location_ && !sink_.ready() && !hop_.request->http2) {
    body_paused_ = true;
    waiter_->wake();
    return Body::wait;
  }
  last_byte_ = MonoClock::now();
  window_bytes_ += bytes.size();
  const auto outcome = [](bool taken) { return taken ? Body::taken : Body::refused; };
  if (location_) return outcome((discarded_ += bytes.size()) <= kMaxDiscarded);
  if (!gunzip_) return outcome(deliver(bytes));
  const auto step = gunzip_->write(bytes, [this](std::string_view b) { return deliver(b); });
  if (step == Gunzip::Step::corrupt) fail(Errc::bad_response, "the body is no gzip");
  return outcome(step == Gunzip::Step::more);
}

// What the origin sends meanwhile is not counted against it.
void Transfer::resume_body() {
  if (!body_paused_ || done() || !sink_.ready()) return;
  body_paused_ = false;
  last_byte_ = window_start_ = MonoClock::now();
  window_bytes_ = 0;
  curl_easy_pause(easy_, CURLPAUSE_CONT);
}

bool Transfer::deliver(std::string_view bytes) {
  if (bytes.empty() || sink_.on_data(bytes)) return true;
  fail(Errc::cancelled, "the receiver wants no more");
  return false;
}

std::size_t Transfer::on_read(char* to, std::size_t size) {
  const Upload::Taken taken = upload_->take(to, size);
  if (taken == Upload::Taken::failed) {
    fail(*upload_->failure(), "the request body could not be read");
    return CURL_READFUNC_ABORT;
  }
  if (taken == Upload::Taken::wait) {
    upload_paused_ = true;
    return CURL_READFUNC_PAUSE;
  }
  last_byte_ = MonoClock::now();  // a response that came early waits for the rest of the upload
  window_bytes_ += size;
  if (phase_ == Phase::sending) {
    enter(taken == Upload::Taken::end || upload_->all_taken() ? Phase::waiting : Phase::sending);
  }
  return size;
}

void Transfer::resume_upload() {
  if (phase_ == Phase::sending) enter(Phase::sending);
  if (!done()) unpause();
}

void Transfer::unpause() {
  if (!std::exchange(upload_paused_, false) || !easy_) return;
  curl_easy_pause(easy_, CURLPAUSE_CONT);
}

int Transfer::connections() const noexcept { return opened_ > 0 && (sent_ || tls_failed_) ? 1 : 0; }

void Transfer::on_done(int code) {
  if (phase_ == Phase::done) return;  // the failure that ended it is known already
  tls_failed_ = is_tls_failure(code);
  const auto error = outcome(code, {.sent = sent_,
                                    .reused = opened_ == 0,
                                    .head_begun = reader_.begun(),
                                    .head_complete = reader_.complete()});
  const std::string words = *words_ ? words_ : curl_easy_strerror(static_cast<CURLcode>(code));
  if (location_) {
    enter(Phase::done);  // its body does not matter
  } else if (error) {
    fail(refused_address_ && !sent_ ? Errc::forbidden_address : *error, words);
  } else if (gunzip_ && !gunzip_->whole()) {
    fail(Errc::truncated, "the gzip stream ends early");
  } else {
    enter(Phase::done);
  }
}

}  // namespace tanggul::curl
