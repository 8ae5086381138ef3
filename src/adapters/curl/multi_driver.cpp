#include "adapters/curl/multi_driver.h"

#include <curl/curl.h>

#include <new>

#include "adapters/curl/transfer.h"

namespace tanggul::curl {
namespace {

using boost::system::error_code;
constexpr std::size_t kMaxIdleHandles = 64;

int on_socket(CURL*, curl_socket_t fd, int what, void* driver, void*) noexcept {
  static_cast<MultiDriver*>(driver)->watch(fd, what);
  return 0;
}

int on_timer(CURLM*, long timeout_ms, void* driver) noexcept {
  static_cast<MultiDriver*>(driver)->arm(timeout_ms);
  return 0;
}

bool global_init() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  return code == CURLE_OK;
}

}  // namespace

MultiDriver::MultiDriver(async::Executor executor, long max_idle_connections)
    : executor_(executor), timer_(executor), multi_(global_init() ? curl_multi_init() : nullptr) {
  if (!multi_) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, max_idle_connections);
}

MultiDriver::~MultiDriver() {
  curl_multi_cleanup(multi_);  // closes pooled connections, which calls watch() for the last time
  while (!watches_.empty()) forget(watches_.begin()->first);
  for (void* easy : idle_) curl_easy_cleanup(easy);
}

void* MultiDriver::take_easy() {
  if (idle_.empty()) {
    void* easy = curl_easy_init();
    if (!easy) throw std::bad_alloc();
    return easy;
  }
  void* easy = idle_.back();
  idle_.pop_back();
  return easy;
}

void MultiDriver::give_back(void* easy) noexcept {
  if (idle_.size() >= kMaxIdleHandles) return curl_easy_cleanup(easy);
  curl_easy_reset(easy);
  idle_.push_back(easy);
}

bool MultiDriver::add(Transfer& transfer) {
  curl_easy_setopt(transfer.easy(), CURLOPT_PRIVATE, &transfer);
  return curl_multi_add_handle(multi_, transfer.easy()) == CURLM_OK;
}

void MultiDriver::remove(Transfer& transfer) noexcept {
  curl_multi_remove_handle(multi_, transfer.easy());
}

void MultiDriver::arm(long timeout_ms) {
  if (timeout_ms < 0) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(std::chrono::milliseconds(timeout_ms));
  timer_.async_wait([weak = weak_from_this()](error_code ec) {
    const auto self = weak.lock();
    if (!ec && self) self->act(CURL_SOCKET_TIMEOUT, 0);
  });
}

void MultiDriver::watch(int fd, int what) {
  if (what == CURL_POLL_REMOVE) return forget(fd);
  WatchPtr& watch = watches_[fd];
  if (!watch) {
    watch = std::make_shared<Watch>(executor_);
    error_code ec;
    watch->descriptor.assign(fd, ec);
    if (ec) {  // out of kernel memory for the reactor: the transfer's own time-outs end it
      watches_.erase(fd);
      return;
    }
    watch->fd = fd;
  }
  watch->what = what;
  wait(watch);
}

void MultiDriver::forget(int fd) noexcept {
  const auto it = watches_.find(fd);
  if (it == watches_.end()) return;
  it->second->what = 0;
  it->second->descriptor.release();  // curl closes it, or pools it
  watches_.erase(it);
}

void MultiDriver::wait(const WatchPtr& watch) {
  using Flag = bool Watch::*;
  const auto begin = [&](Descriptor::wait_type type, Flag flag, int event) {
    watch.get()->*flag = true;
    watch->descriptor.async_wait(type,
                                 [weak = weak_from_this(), watch, flag, event](error_code ec) {
                                   watch.get()->*flag = false;
                                   const auto self = weak.lock();
                                   if (!ec && self && (watch->what & event))
                                     self->on_ready(watch, event);
                                 });
  };
  if ((watch->what & CURL_POLL_IN) && !watch->reading) {
    begin(Descriptor::wait_read, &Watch::reading, CURL_POLL_IN);
  }
  if ((watch->what & CURL_POLL_OUT) && !watch->writing) {
    begin(Descriptor::wait_write, &Watch::writing, CURL_POLL_OUT);
  }
}

void MultiDriver::on_ready(const WatchPtr& watch, int event) {
  act(watch->fd, event == CURL_POLL_IN ? CURL_CSELECT_IN : CURL_CSELECT_OUT);
  if (watch->what) wait(watch);  // still wanted, by no newer watch of the same number
}

void MultiDriver::act(int fd, int event) {
  int running = 0;
  curl_multi_socket_action(multi_, fd, event, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    char* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    if (transfer) reinterpret_cast<Transfer*>(transfer)->on_done(message->data.result);
  }
}

}  // namespace tanggul::curl
