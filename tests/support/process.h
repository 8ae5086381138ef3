#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/temp_dir.h"
#include "tanggul/base/clock.h"

namespace tanggul::test {

struct ProcessSpec {
  std::vector<std::string> args;           // args[0] is looked for in PATH
  std::map<std::string, std::string> env;  // beside, and over, this process's own
  std::vector<std::string> unset;
  std::string cwd;
};

// A child program whose output goes to files. Killed when this object ends, and when the thread
// that started it dies. Used by one thread.
class Process {
 public:
  explicit Process(ProcessSpec spec);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // SIGSTOP, until signal(SIGCONT). True once every thread stands still: nothing that the child has
  // changes any more.
  bool freeze();
  bool running();
  // The exit status, 128 + N after signal N; nullopt when it still runs then.
  std::optional<int> wait(Duration at_most);
  bool wait_for_output(std::string_view text, Duration at_most);  // on either stream
  bool wait_for_port(std::uint16_t port, Duration at_most);

  std::string out() const { return read_file(dir_.file("stdout")); }
  std::string err() const { return read_file(dir_.file("stderr")); }

  std::uint64_t rss() const;       // VmRSS, bytes
  std::uint64_t peak_rss() const;  // VmHWM
  std::size_t open_files() const;

  // False when the child has ended or the time is over before `condition` holds.
  bool poll_until(Duration at_most, const std::function<bool()>& condition);

 private:
  TempDir dir_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

// Runs to the end; for short commands. The status is 124 when `at_most` was over first.
struct CommandResult {
  int status = 0;
  std::string out, err;
};
CommandResult run_command(ProcessSpec spec, Duration at_most = std::chrono::seconds(60));

std::uint64_t status_bytes(pid_t pid, std::string_view field);

}  // namespace tanggul::test
