#pragma once

#include <sys/types.h>

#include <vector>

#include "tanggul/base/clock.h"

namespace tanggul::bench {

// On two cores the load and the origin share one, what is measured has the other.
inline constexpr int kServerCpu = 0;
inline constexpr int kLoadCpu = 1;

// The calling thread, and what it starts from now on, runs on that CPU alone. Does nothing on a
// machine that has no such CPU.
void pin_to(int cpu);
void pin_to_all();  // on any again

// The calling thread sits on the server's CPU while this lives, so that a child forked meanwhile
// stays there.
class OnServerCpu {
 public:
  OnServerCpu() { pin_to(kServerCpu); }
  ~OnServerCpu() { pin_to(kLoadCpu); }
  OnServerCpu(const OnServerCpu&) = delete;
  OnServerCpu& operator=(const OnServerCpu&) = delete;
};

// A process and its direct children: nginx's master and its workers.
std::vector<pid_t> with_children(pid_t pid);

// User and system time of all their threads that live, to the nanosecond
// (/proc/PID/task/*/schedstat).
Duration cpu_time(const std::vector<pid_t>& pids);

}  // namespace tanggul::bench
