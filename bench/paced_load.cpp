#include "paced_load.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "answer_meter.h"
#include "measure.h"
#include "sockets.h"

namespace tanggul::bench {
namespace {

struct Connection {
  std::optional<Sockets> socket;
  AnswerMeter meter;
  MonoTime due{};
  std::size_t group = 0;
};

class Pacer {
 public:
  Pacer(std::uint16_t port, const PacedLoad& load)
      : port_(port), load_(load), connections_(load.connections), groups_(load.groups) {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      open(i);
      free_.push_back(i);
    }
  }
  ~Pacer() { ::close(epoll_); }
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  std::vector<PacedGroup> run() {
    start_ = MonoClock::now();
    while (answered_ < load_.total) {
      send_due();
      wait();
    }
    return std::move(groups_);
  }

 private:
  void open(std::size_t i) {
    Connection& c = connections_[i];
    c.socket.emplace(port_, 1);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, (*c.socket)[0], &event);
  }

  MonoTime due(std::uint64_t i) const {
    return load_.rate > 0 ? start_ + from_seconds(static_cast<double>(i) / load_.rate)
                          : MonoTime::min();
  }

  void send_due() {
    const MonoTime now = MonoClock::now();
    while (next_ < load_.total && !free_.empty() && due(next_) <= now) {
      const std::size_t i = free_.back();
      free_.pop_back();
      Connection& c = connections_[i];
      c.due = std::max(due(next_), load_.rate > 0 ? MonoTime::min() : now);
      c.group = load_.group(next_);
      c.meter.reset();
      const std::string request = get_request(port_, load_.target(next_++));
      ::send((*c.socket)[0], request.data(), request.size(), MSG_NOSIGNAL);
    }
  }

  // Until an answer comes or the next request is due.
  void wait() {
    Duration most = 100ms;
    if (load_.rate > 0 && next_ < load_.total && !free_.empty()) {
      most = std::clamp<Duration>(due(next_) - MonoClock::now(), 0ns, most);
    }
    const timespec timeout{.tv_sec = 0, .tv_nsec = static_cast<long>(most.count())};
    std::array<epoll_event, 64> events{};
    const int n =
        ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
    for (int i = 0; i < n; ++i) receive(events[static_cast<std::size_t>(i)].data.u64);
  }

  void receive(std::size_t i) {
    Connection& c = connections_[i];
    const ssize_t n = ::recv((*c.socket)[0], buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (n > 0) {
      c.meter.feed({buffer_.data(), static_cast<std::size_t>(n)});
      if (c.meter.complete()) finish(i, c.meter.status());
    } else if (n == 0 || errno != EAGAIN) {
      const bool idle = std::find(free_.begin(), free_.end(), i) != free_.end();
      open(i);
      if (!idle) finish(i, 0);
    }
  }

  void finish(std::size_t i, int status) {
    Connection& c = connections_[i];
    PacedGroup& group = groups_[c.group];
    group.latencies_ms.push_back(in_ms(MonoClock::now() - c.due));
    ++group.by_status[status];
    ++answered_;
    free_.push_back(i);
  }

  std::uint16_t port_;
  const PacedLoad& load_;
  std::vector<Connection> connections_;
  std::vector<std::size_t> free_;
  std::vector<PacedGroup> groups_;
  std::array<char, 128 * 1024> buffer_{};
  std::uint64_t next_ = 0, answered_ = 0;
  int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  MonoTime start_{};
};

}  // namespace

std::vector<PacedGroup> run_paced(std::uint16_t port, const PacedLoad& load) {
  return Pacer(port, load).run();
}

}  // namespace tanggul::bench
