#include "app/service/service_notify.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/log.h"

namespace tanggul::app {
namespace {

constexpr const char* kVariables[] = {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"};

std::int64_t microseconds(Duration d) {
  return std::chrono::duration_cast<std::chrono::microseconds>(d).count();
}

// A line of its own would be taken for another assignment.
std::string one_line(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

// sd_watchdog_enabled(3): zero unless it is meant for this very process.
Duration watchdog_of(const Environment& environment, pid_t self) {
  const auto span = parse_decimal(environment("WATCHDOG_USEC").value_or(""));
  constexpr std::uint64_t kMost = std::chrono::microseconds(24h).count();
  if (!span || *span == 0) return {};
  if (const auto pid = environment("WATCHDOG_PID"))
    if (parse_decimal(*pid) != static_cast<std::uint64_t>(self)) return {};
  return std::chrono::microseconds(std::min(*span, kMost));
}

}  // namespace

ServiceNotify::ServiceNotify(const Environment& environment, pid_t self) {
  address_ = environment("NOTIFY_SOCKET").value_or("");
  if (address_.empty()) return;
  // Other kinds (vsock:) are for guests whose manager is outside.
  if ((address_[0] != '/' && address_[0] != '@') ||
      address_.size() >= sizeof(sockaddr_un::sun_path)) {
    log::warn("NOTIFY_SOCKET names no socket that can be used here: {}", address_);
    return;
  }
  if (address_[0] == '@') address_[0] = '\0';
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return;
  const timeval patience{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  watchdog_ = watchdog_of(environment, self);
}

ServiceNotify::~ServiceNotify() {
  if (socket_ >= 0) ::close(socket_);
}

ServiceNotify::ServiceNotify(ServiceNotify&& other) noexcept
    : address_(std::move(other.address_)),
      socket_(std::exchange(other.socket_, -1)),
      watchdog_(std::exchange(other.watchdog_, Duration{})) {}

ServiceNotify ServiceNotify::take() {
  ServiceNotify notify(process_environment(), ::getpid());
  for (const char* name : kVariables) ::unsetenv(name);
  return notify;
}

bool ServiceNotify::send(std::string_view message, bool wait) const {
  if (socket_ < 0) return true;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, address_.data(), address_.size());
  // An abstract name is as long as it is said to be; a path has its zero byte.
  const std::size_t length =
      offsetof(sockaddr_un, sun_path) + address_.size() + (address_[0] == '\0' ? 0 : 1);
  const int flags = MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT);
  return ::sendto(socket_, message.data(), message.size(), flags,
                  reinterpret_cast<const sockaddr*>(&to),
                  static_cast<socklen_t>(length)) == static_cast<ssize_t>(message.size());
}

void ServiceNotify::ready(std::string_view status) const {
  if (!send(fmt::format("READY=1\nSTATUS={}", one_line(status)), true))
    log::warn("the service manager could not be told that this process is ready: {}",
              std::strerror(errno));
}

void ServiceNotify::status(std::string_view status) const {
  send(fmt::format("STATUS={}", one_line(status)), true);
}

void ServiceNotify::reloading() const {
  const auto now = microseconds(MonoClock::now().time_since_epoch());
  send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}\nSTATUS=reading the configuration", now), true);
}

void ServiceNotify::stopping(std::string_view status, Duration at_most) const {
  send(fmt::format("STOPPING=1\nSTATUS={}\nEXTEND_TIMEOUT_USEC={}", one_line(status),
                   microseconds(at_most)),
       true);
}

void ServiceNotify::extend(Duration at_most) const {
  send(fmt::format("EXTEND_TIMEOUT_USEC={}", microseconds(at_most)), true);
}

void ServiceNotify::ping() const { send("WATCHDOG=1", false); }

}  // namespace tanggul::app
