#include "crowd.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "answer_meter.h"
#include "sockets.h"

namespace tanggul::bench {
namespace {

constexpr std::size_t kPiece = 1 << 20;

class Reader {
 public:
  Reader(std::uint16_t port, const Crowd& crowd)
      : port_(port),
        crowd_(crowd),
        sockets_(port, crowd.readers, crowd.slow_bytes_per_second ? 1 : 0),
        meters_(crowd.readers),
        readings_(crowd.readers),
        left_(crowd.readers) {}
  ~Reader() { ::close(epoll_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::vector<Reading> run() {
    const std::string request = get_request(port_, crowd_.target);
    start_ = MonoClock::now();
    for (std::size_t i = 0; i < crowd_.readers; ++i) {
      ::send(sockets_[i], request.data(), request.size(), MSG_NOSIGNAL);
      if (is_slow(i)) continue;  // read by the clock, not by readiness
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, sockets_[i], &event);
    }
    while (left_ > 0 && MonoClock::now() - start_ < crowd_.deadline) {
      if (slow_runs() && crowd_.slow_leaves_with_the_rest && left_ == 1) break;
      turn();
    }
    return std::move(readings_);
  }

 private:
  bool is_slow(std::size_t i) const { return i == 0 && crowd_.slow_bytes_per_second > 0; }
  bool slow_runs() const { return crowd_.slow_bytes_per_second > 0 && sockets_[0] >= 0; }

  void turn() {
    std::array<epoll_event, 64> events{};
    const int wait_ms = slow_runs() ? 20 : 100;
    const int n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait_ms);
    for (int i = 0; i < n; ++i) read_some(events[static_cast<std::size_t>(i)].data.u64, kPiece);
    if (slow_runs()) read_slowly();
  }

  void read_slowly() {
    const double due =
        seconds(MonoClock::now() - start_) * static_cast<double>(crowd_.slow_bytes_per_second);
    const auto allowed = static_cast<std::uint64_t>(due);
    if (allowed > meters_[0].body()) {
      read_some(0, std::min<std::uint64_t>(allowed - meters_[0].body(), 64 * 1024));
    }
  }

  void read_some(std::size_t i, std::size_t at_most) {
    AnswerMeter& meter = meters_[i];
    ssize_t n;
    if (meter.head_done()) {
      n = ::recv(sockets_[i], nullptr, at_most, MSG_TRUNC | MSG_DONTWAIT);
      if (n > 0) meter.skip(static_cast<std::uint64_t>(n));
    } else {
      std::array<char, 4096> buffer;
      n = ::recv(sockets_[i], buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (n > 0) meter.feed({buffer.data(), static_cast<std::size_t>(n)});
    }
    note(i, n == 0 || (n < 0 && errno != EAGAIN));
  }

  void note(std::size_t i, bool ended) {
    Reading& r = readings_[i];
    const AnswerMeter& meter = meters_[i];
    const Duration now = MonoClock::now() - start_;
    if (meter.head_done() && r.status == 0) r.first_byte = now;
    r.status = meter.status();
    r.body = meter.body();
    r.complete = meter.complete();
    r.cut = ended && !r.complete;
    if (!ended && !r.complete && !(crowd_.leave_at_head && meter.head_done())) return;
    r.last_byte = now;
    sockets_.close(i);
    --left_;
  }

  std::uint16_t port_;
  Crowd crowd_;
  Sockets sockets_;
  std::vector<AnswerMeter> meters_;
  std::vector<Reading> readings_;
  std::size_t left_;
  int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  MonoTime start_{};
};

}  // namespace

std::vector<Reading> read_all(std::uint16_t port, const Crowd& crowd) {
  return Reader(port, crowd).run();
}

}  // namespace tanggul::bench
