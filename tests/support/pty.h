#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tanggul/base/clock.h"

namespace tanggul::test {

// A child program on a terminal of its own, of so many rows and columns. What it writes is kept.
// Killed when this object ends. Used by one thread.
class Pty {
 public:
  Pty(std::vector<std::string> args, unsigned short rows, unsigned short columns);
  ~Pty();
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  void resize(unsigned short rows, unsigned short columns);
  void type(std::string_view keys);
  void signal(int number) const;
  const std::string& output() const { return output_; }
  // Reads on until `text` stands in what came from `from` on.
  bool wait_for(std::string_view text, std::size_t from, Duration at_most);
  bool wait_until_stopped(Duration at_most);  // by a signal, not ended
  // The exit status, 128 + N after signal N; nullopt when it still runs then.
  std::optional<int> wait(Duration at_most);

 private:
  bool read_some(Duration at_most);  // false: nothing came

  pid_t pid_ = -1;
  int terminal_ = -1;
  std::string output_;
  std::optional<int> status_;
};

}  // namespace tanggul::test
