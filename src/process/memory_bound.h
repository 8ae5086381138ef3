#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace tanggul::process {

// How the memory of a child, and of all that it starts, is bounded.
enum class MemoryMechanism {
  cgroup_v2,  // the kernel stops it at the limit
  cgroup_v1,  // likewise
  polling,    // whoever started it looks now and then, and ends it
};
std::string_view name(MemoryMechanism mechanism) noexcept;  // "cgroup_v2"

// Where control groups are, for tests; the kernel's own by default.
struct CgroupPaths {
  std::string mounts = "/proc/self/mountinfo", own = "/proc/self/cgroup";
};

// A bound on the memory of one child at a time and its descendants, their sum. Used by one thread.
class MemoryBound {
 public:
  // The best mechanism that works here. Groups lie below the one that this process is in, under
  // `name` and the number of this process; those that a process left behind which is no more are
  // removed. What cannot be a group's is polling's.
  static std::unique_ptr<MemoryBound> make(ByteCount limit, const std::string& name,
                                           const CgroupPaths& paths = {});
  static std::unique_ptr<MemoryBound> make_polling(ByteCount limit);
  virtual ~MemoryBound() = default;

  virtual MemoryMechanism mechanism() const noexcept = 0;
  // The file that a process writes "0" to, to be bounded; empty: there is nothing to join.
  virtual std::string join() const = 0;
  // Before a next child: what the one before has left in the books is forgotten.
  virtual void reset() = 0;
  // Whether they are, or have been stopped for being, over the limit. `leader`: the child.
  virtual bool exceeded(pid_t leader) = 0;
  // The most that was seen since reset().
  virtual ByteCount peak() const = 0;
  // Ends the child and all that it has started. The child, if it has not been reaped, is its
  // starter's to reap.
  virtual void end_all(pid_t leader) = 0;
};

}  // namespace tanggul::process
