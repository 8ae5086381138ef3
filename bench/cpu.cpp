#include "cpu.h"

#include <sched.h>
#include <unistd.h>

#include <filesystem>
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

void pin_to_all() {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (long cpu = 0; cpu < ::sysconf(_SC_NPROCESSORS_CONF); ++cpu)
    CPU_SET(static_cast<std::size_t>(cpu), &set);
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
  std::uint64_t nanoseconds = 0;
  for (const pid_t pid : pids) {
    std::error_code gone;
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
      std::istringstream fields(test::read_file(task.path().string() + "/schedstat"));
      std::uint64_t ran = 0;
      fields >> ran;
      nanoseconds += ran;
    }
  }
  return std::chrono::nanoseconds(nanoseconds);
}

}  // namespace tanggul::bench
