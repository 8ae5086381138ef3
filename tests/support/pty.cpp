#include "support/pty.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace tanggul::test {

Pty::Pty(std::vector<std::string> args, unsigned short rows, unsigned short columns) {
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  ::setenv("TERM", "xterm", 1);
  winsize size{rows, columns, 0, 0};
  pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
  if (pid_ == 0) {
    ::execv(argv.front(), argv.data());
    ::_exit(127);
  }
  if (pid_ < 0) throw std::runtime_error("cannot fork on a terminal");
}

Pty::~Pty() {
  if (!status_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(terminal_);
}

void Pty::resize(unsigned short rows, unsigned short columns) {
  const winsize size{rows, columns, 0, 0};
  ::ioctl(terminal_, TIOCSWINSZ, &size);
}

void Pty::type(std::string_view keys) {
  if (::write(terminal_, keys.data(), keys.size()) < 0) throw std::runtime_error("cannot type");
}

void Pty::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

bool Pty::read_some(Duration at_most) {
  pollfd ready{terminal_, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(std::max<Duration>(at_most, 0ms) / 1ms)) <= 0)
    return false;
  char buffer[4096];
  const ssize_t n = ::read(terminal_, buffer, sizeof buffer);
  if (n > 0) output_.append(buffer, static_cast<std::size_t>(n));
  return n > 0;
}

bool Pty::wait_for(std::string_view text, std::size_t from, Duration at_most) {
  const MonoTime end = MonoClock::now() + at_most;
  while (output_.find(text, from) == std::string::npos) {
    const MonoTime now = MonoClock::now();
    if (now >= end || (!read_some(std::min<Duration>(end - now, 100ms)) && wait(0ms))) break;
  }
  return output_.find(text, from) != std::string::npos;
}

bool Pty::wait_until_stopped(Duration at_most) {
  for (const MonoTime end = MonoClock::now() + at_most; MonoClock::now() < end; read_some(10ms)) {
    siginfo_t info{};
    const int asked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG);
    if (asked == 0 && info.si_code == CLD_STOPPED) return true;
  }
  return false;
}

std::optional<int> Pty::wait(Duration at_most) {
  const MonoTime end = MonoClock::now() + at_most;
  while (!status_) {
    int raw = 0;
    if (::waitpid(pid_, &raw, WNOHANG) == pid_) {
      status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
      while (read_some(0ms)) {
      }
    } else if (MonoClock::now() >= end) {
      break;
    } else {
      read_some(10ms);
    }
  }
  return status_;
}

}  // namespace tanggul::test
