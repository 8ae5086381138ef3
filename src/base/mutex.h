#pragma once

#include <mutex>

// Clang's thread-safety annotations over std::mutex, so that an unguarded access is a compile
// error.
#define TANGGUL_ATTRIBUTE(x) __attribute__((x))
#define GUARDED_BY(x) TANGGUL_ATTRIBUTE(guarded_by(x))
#define REQUIRES(...) TANGGUL_ATTRIBUTE(requires_capability(__VA_ARGS__))

namespace tanggul {

class TANGGUL_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() TANGGUL_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() TANGGUL_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Held to the end of its scope. Never alive across a co_await: it belongs in plain functions.
class TANGGUL_ATTRIBUTE(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& m) TANGGUL_ATTRIBUTE(acquire_capability(m)) : mutex_(m) { mutex_.lock(); }
  ~Lock() TANGGUL_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace tanggul
