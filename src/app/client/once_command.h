#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace tanggul::app {

// A child program with our own standard streams, in a process group of its own, which has the
// terminal where we had it. When we die it is told to end. One thread's.
class OnceCommand {
 public:
  OnceCommand() = default;
  ~OnceCommand() { take_terminal_back(); }
  OnceCommand(const OnceCommand&) = delete;
  OnceCommand& operator=(const OnceCommand&) = delete;

  // `output` is told in TANGGUL_ONCE_OUTPUT. False: no process could be had; errno tells why. A
  // program that cannot be run ends with 127 or 126, as from a shell.
  bool start(const std::vector<std::string>& args, const std::string& output);
  bool alive() const { return pid_ > 0 && !status_; }
  // The exit status, 128 + N after signal N, once it has ended. Does not wait.
  std::optional<int> status();
  void signal(int number) const;  // to all of its group

 private:
  void take_terminal_back();

  pid_t pid_ = -1;
  std::optional<int> status_;
  bool gave_terminal_ = false;
};

}  // namespace tanggul::app
