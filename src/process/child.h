#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/failure.h"
#include "tanggul/base/clock.h"

namespace tanggul::process {

// A program as exec has it.
struct Command {
  std::vector<std::string> args;  // args[0] is looked for in PATH
  std::vector<std::string> env;   // all of it
};

struct ChildLimits {
  Duration silence = 30s;     // without a byte while one is waited for
  MonoTime until = kForever;  // and no waiting past it
  // Of each of its processes: what it may write to in memory, files mapped to be read not counted;
  // and how large a file it may make.
  ByteCount memory = 1_GiB, file_size = 0;
  std::string join;  // the file that lets it into a control group; empty: none
};

// A program at work whose output is read as it comes. It has a process group of its own, the limits
// (setrlimit), "/" as its folder and no descriptor of ours. When this object ends,
// so does the whole group, and the program is reaped. Used by one thread.
class Child {
 public:
  static Expected<std::unique_ptr<Child>> start(const Command& command, ChildLimits limits);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // To its standard input. False: it takes nothing any more.
  bool write(std::string_view bytes) noexcept;
  // The next bytes of its standard output, valid until the next call; empty: the end of it.
  Expected<std::string_view> read();
  // Its exit status, 128 + N after signal N.
  Expected<int> wait();
  // The first 4 KiB of what it said on its standard error.
  std::string_view said() const noexcept { return said_; }
  // The same as one printable sentence.
  std::string complaint() const;
  bool complained() const noexcept { return !said_.empty(); }
  pid_t pid() const noexcept { return pid_; }
  // Asks it, not its group, to end (SIGTERM). Nothing is waited for.
  void ask_to_end() noexcept;
  // Tells it that there is no more input.
  void end_input() noexcept;

 private:
  Child() = default;
  // Waits for any of output and end, listening to what it says meanwhile. Nullopt: it may be read.
  std::optional<Failure> wait_for(int descriptor);
  void listen();
  int end() noexcept;

  pid_t pid_ = -1;  // -1: reaped
  int in_ = -1, out_ = -1, err_ = -1, life_ = -1;
  ChildLimits limits_;
  std::string name_;
  std::string buffer_, said_;
};

}  // namespace tanggul::process
