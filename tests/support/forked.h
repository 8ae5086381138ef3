#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tanggul/base/clock.h"

namespace tanggul::test {

// A piece of this program in a process of its own, for tests that kill it. Made while this process
// has but one thread, and nothing open that the child could take for its own. Killed when this
// object ends, and when the thread that made it does.
class Forked {
 public:
  // What the child says; each line at once and whole.
  class Voice {
   public:
    explicit Voice(int end) : end_(end) {}
    void say(std::string line) const {
      line += '\n';
      if (::write(end_, line.data(), line.size()) < 0) ::_exit(3);
    }

   private:
    int end_;
  };

  // Ends with status 0 when `work` comes back, 2 when it throws.
  explicit Forked(const std::function<void(const Voice&)>& work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      try {
        work(Voice(ends[1]));
      } catch (const std::exception& error) {
        Voice(ends[1]).say(std::string("threw ") + error.what());
        ::_exit(2);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    heard_from_ = ends[0];
    if (pid_ < 0) throw std::runtime_error("no process");
  }
  ~Forked() {
    kill();
    ::close(heard_from_);
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  // Ends it as a power cut would, and waits until it has.
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    (void)wait();
  }

  // The status as waitpid() has it.
  int wait() {
    int status = 0;
    while (pid_ > 0 && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  // What it has said so far, once that holds `text`; whatever there is when it has ended first.
  const std::string& wait_for(std::string_view text, Duration at_most = std::chrono::seconds(60)) {
    for (const MonoTime end = MonoClock::now() + at_most; said_.find(text) == std::string::npos;)
      if (MonoClock::now() >= end || !listen()) break;
    return said_;
  }
  // All that it says until it has ended.
  const std::string& rest() {
    while (listen()) {
    }
    return said_;
  }

 private:
  bool listen() {
    pollfd ready{heard_from_, POLLIN, 0};
    if (::poll(&ready, 1, 1000) <= 0) return true;
    char bytes[4096];
    const ssize_t got = ::read(heard_from_, bytes, sizeof bytes);
    if (got > 0) said_.append(bytes, static_cast<std::size_t>(got));
    return got > 0;
  }

  pid_t pid_ = -1;
  int heard_from_ = -1;
  std::string said_;
};

}  // namespace tanggul::test
