#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "app/config/environment.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {

// Tells the service manager how this process fares: sd_notify(3)'s protocol, which is one datagram
// of NAME=value lines a message, to the socket that $NOTIFY_SOCKET names. Without that variable
// every call does nothing. Any thread may call. No call waits for a manager that does not read for
// more than a second, and a ping does not wait at all: a lost one is followed by the next.
class ServiceNotify {
 public:
  ServiceNotify() = default;  // nobody to tell
  ServiceNotify(const Environment& environment, pid_t self);
  ~ServiceNotify();
  ServiceNotify(ServiceNotify&& other) noexcept;
  ServiceNotify& operator=(ServiceNotify&&) = delete;

  // Of this process, and out of its environment: a child that inherited the variables could speak
  // in our name. For main(), before there are threads or children.
  static ServiceNotify take();

  void ready(std::string_view status) const;  // at the start, and when a reload is over
  void status(std::string_view status) const;
  void reloading() const;
  // The manager's patience counts from here: `at_most` is what the stop itself may take.
  void stopping(std::string_view status, Duration at_most) const;
  // The step that is running (start, reload, stop) may go on for as long as this from now.
  void extend(Duration at_most) const;
  void ping() const;

  bool connected() const noexcept { return socket_ >= 0; }
  // After this long without a ping the manager ends the process; zero: it does not watch.
  Duration watchdog() const noexcept { return watchdog_; }

 private:
  bool send(std::string_view message, bool wait) const;

  std::string address_;  // as in sockaddr_un: an abstract one starts with a zero byte
  int socket_ = -1;
  Duration watchdog_{};
};

}  // namespace tanggul::app
