#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/curl/curl_origin.h"
#include "adapters/curl/gunzip.h"
#include "adapters/curl/head_reader.h"
#include "adapters/curl/multi_driver.h"
#include "adapters/curl/redirects.h"
#include "adapters/curl/upload.h"
#include "async/waiter.h"
#include "ports/origin.h"

struct curl_slist;

namespace tanggul::curl {

// What one hop sends, and what it may do.
struct HopRequest {
  const ports::OriginRequest* request;
  Hop to;
  http::Headers headers;
  bool crossed = false;       // no longer at the upstream itself: no client certificate
  bool may_redirect = false;  // a redirect is kept for the caller and not delivered
  bool public_only = false;   // an internal address is refused
};

// One request and its response on one easy handle: state, time-outs, and what libcurl's callbacks
// do to them. Owned by the coroutine that drives it, on one thread; removed from the driver by the
// destructor. The first failure wins. It sends once: where libcurl would silently send again on
// another connection, the attempt ends with Errc::stale_connection.
class Transfer {
 public:
  Transfer(std::shared_ptr<MultiDriver> driver, const CurlConfig& config, HopRequest hop,
           ports::ResponseSink& sink, async::WaiterPtr waiter);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void start();
  void stop() noexcept;  // off the wire; the connection is closed if it was in use
  bool done() const noexcept { return phase_ == Phase::done; }
  void fail(Errc error, std::string detail);
  // Fails the transfer when a time-out is over, else says when to look again.
  MonoTime check_timeouts(MonoTime now);

  void* easy() const noexcept { return easy_; }
  const HopRequest& hop() const noexcept { return hop_; }
  Upload* upload() const noexcept { return upload_.get(); }
  const std::optional<std::string>& location() const noexcept { return location_; }
  bool sent() const noexcept { return sent_; }
  bool connected_internally() const noexcept { return internal_; }
  int connections() const noexcept;
  const std::optional<Errc>& error() const noexcept { return error_; }
  const std::string& detail() const noexcept { return detail_; }

  // For libcurl's C callbacks and the driver.
  bool may_open(std::string_view address);
  bool may_send(std::string_view address);
  bool on_header(std::string_view line);
  // A transfer of HTTP/2 is never made to wait: libcurl 7.88 has known faults with it.
  enum class Body { taken, wait, refused };
  Body on_body(std::string_view bytes);
  // Goes on with a body that was held back, if the sink is ready again.
  void resume_body();
  std::size_t on_read(char* to, std::size_t size);
  void on_done(int curl_code);

 private:
  friend bool configure(Transfer& transfer);  // easy_options.cpp

  enum class Phase { connecting, sending, waiting, receiving, done };
  void enter(Phase phase);
  bool deliver_head();
  bool deliver(std::string_view bytes);
  MonoTime deadline() const;
  void resume_upload();
  void unpause();

  std::shared_ptr<MultiDriver> driver_;
  const CurlConfig& config_;
  const HopRequest hop_;
  ports::ResponseSink& sink_;
  async::WaiterPtr waiter_;
  void* easy_;
  curl_slist* lines_ = nullptr;
  char words_[256] = {};  // libcurl's CURLOPT_ERRORBUFFER
  bool added_ = false;

  Phase phase_ = Phase::connecting;
  MonoTime entered_;                  // the phase, or the last progress of an upload
  MonoTime armed_ = MonoTime::min();  // what the coroutine waits for
  MonoTime last_byte_, window_start_;
  ByteCount window_bytes_ = 0;

  HeadReader reader_;
  std::unique_ptr<Gunzip> gunzip_;
  std::shared_ptr<Upload> upload_;
  bool upload_paused_ = false;
  bool body_paused_ = false;

  int opened_ = 0;         // sockets of this hop
  bool sent_ = false;      // the request went out, on a connection that stood
  bool internal_ = false;  // that connection led to an internal address
  bool refused_address_ = false;
  bool tls_failed_ = false;
  ByteCount discarded_ = 0;  // of a redirect's body
  std::optional<std::string> location_;
  std::optional<Errc> error_;
  std::string detail_;
};

// Sets every option of the transfer's handle; false: the request cannot be expressed.
bool configure(Transfer& transfer);

}  // namespace tanggul::curl
