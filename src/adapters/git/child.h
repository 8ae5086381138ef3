#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "adapters/git/command.h"
#include "base/bytes.h"
#include "ports/source_tree.h"
#include "tanggul/base/clock.h"

namespace tanggul::git {

struct ChildLimits {
  Duration silence = 30s;     // without a byte while one is waited for
  MonoTime until = kForever;  // and no waiting past it
};

// A program at work whose output is read as it comes. It has a process group, memory and no file
// size of its own (setrlimit), "/" as its folder and no descriptor of ours. When this object ends,
// so does the whole group, and the program is reaped. Used by one thread.
class Child {
 public:
  static ports::SourceResult<std::unique_ptr<Child>> start(const Command& command,
                                                           ChildLimits limits);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // To its standard input. False: it takes nothing any more.
  bool write(std::string_view bytes) noexcept;
  // The next bytes of its standard output, valid until the next call; empty: the end of it.
  ports::SourceResult<std::string_view> read();
  // Its exit status, 128 + N after signal N.
  ports::SourceResult<int> wait();
  // What it said on its standard error, as one printable sentence.
  std::string complaint() const;
  bool complained() const noexcept { return !said_.empty(); }

 private:
  Child() = default;
  // Waits for any of output and end, listening to what it says meanwhile. Nullopt: it may be read.
  std::optional<ports::SourceError> wait_for(int descriptor);
  void listen();
  int end() noexcept;

  pid_t pid_ = -1;  // -1: reaped
  int in_ = -1, out_ = -1, err_ = -1, life_ = -1;
  ChildLimits limits_;
  std::string buffer_, said_;
};

}  // namespace tanggul::git
