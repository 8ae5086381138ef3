#pragma once

namespace tanggul::policy {

// How many of those that were held back may run at once after an origin has come back: one, and one
// more for each that went well, so that each round runs twice as many as the one before (1, 2, 4, …
// limit), as TCP's slow start does (RFC 5681 3.1). One that fails halves it. Not thread-safe.
class SlowStart {
 public:
  explicit SlowStart(int limit) { begin(limit); }

  // From one again; those that still run stay counted.
  void begin(int limit);
  bool may_start() const { return running_ < window_; }
  void started() { ++running_; }
  void ended(bool well);
  void left() { --running_; }  // before it could end

  int window() const { return window_; }
  int running() const { return running_; }

 private:
  int limit_ = 1;
  int window_ = 1;
  int running_ = 0;
};

}  // namespace tanggul::policy
