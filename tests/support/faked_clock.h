#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "support/temp_dir.h"

namespace tanggul::test {

// The wall clock of a child process: off by what is set here, from its next look at it on. What
// measures how long something takes goes on as it is.
class FakedClock {
 public:
  explicit FakedClock(std::chrono::seconds off = {});
  ~FakedClock();
  FakedClock(const FakedClock&) = delete;
  FakedClock& operator=(const FakedClock&) = delete;

  void set(std::chrono::seconds off) { *offset_ = off.count(); }
  std::map<std::string, std::string> env() const;  // of the child

 private:
  TempDir dir_;
  std::atomic<std::int64_t>* offset_;  // shared with the child
};

}  // namespace tanggul::test
