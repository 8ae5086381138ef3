#pragma once

#include <memory>
#include <string>

namespace tanggul::beast {

// Writes to standard output on a thread of its own, so that a reader who does not read (a stopped
// terminal, a stuck collector) holds up no connection. Beyond kMost of waiting bytes lines are
// dropped and counted. Thread-safe.
class LogWriter {
 public:
  static constexpr std::size_t kMost = 8 << 20;

  LogWriter();
  ~LogWriter();  // gives what waits a second to get out
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Takes the lines, leaving `lines` empty.
  void write(std::string& lines);
  std::uint64_t dropped() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace tanggul::beast
