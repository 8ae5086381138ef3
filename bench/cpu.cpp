#include "cpu.h"

#include <sched.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "support/temp_dir.h"

namespace tanggul::bench {

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

std::vector<pid_t> with_children(pid_t pid) {
  std::vector<pid_t> pids = {pid};
  const std::string task = std::to_string(pid);
  std::istringstream children(test::read_file("/proc/" + task + "/task/" + task + "/children"));
  for (pid_t child; children >> child;) pids.push_back(child);
  return pids;
}

Duration cpu_time(const std::vector<pid_t>& pids) {
  long ticks = 0;
  for (const pid_t pid : pids) {
    const std::string stat = test::read_file("/proc/" + std::to_string(pid) + "/stat");
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    std::string skipped;
    long user = 0, system = 0;
    for (int field = 3; field < 14; ++field) fields >> skipped;  // proc(5): utime is the 14th
    fields >> user >> system;
    ticks += user + system;
  }
  return from_seconds(static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace tanggul::bench
