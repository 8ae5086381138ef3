#include "in_child.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

namespace tanggul::bench {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::uint64_t status(const std::string& field) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(field + ":"))
      return std::strtoull(line.c_str() + field.size() + 1, nullptr, 10) * 1024;
  return 0;
}

Cost measured(const std::function<bool()>& work) {
  Cost cost;
  const std::uint64_t before = status("VmRSS");
  const double wall = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  const bool good = work();
  cost.cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  cost.wall = seconds_of(CLOCK_MONOTONIC) - wall;
  cost.highest = status("VmHWM");
  cost.grown = cost.highest - std::min(before, cost.highest);
  if (!good) ::_exit(1);
  return cost;
}

}  // namespace

void settle_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 64 * 1024);
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // the highest is that of now
}

std::optional<Cost> in_child(const std::function<void()>& prepare,
                             const std::function<bool()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{600, 600};
    ::setrlimit(RLIMIT_CPU, &limit);
    prepare();
    const Cost cost = measured(work);
    const bool told = ::write(ends[1], &cost, sizeof cost) == sizeof cost;
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  Cost cost;
  const bool told = child > 0 && ::read(ends[0], &cost, sizeof cost) == sizeof cost;
  ::close(ends[0]);
  int raw = 0;
  if (child > 0) ::waitpid(child, &raw, 0);
  if (!told || raw != 0) return std::nullopt;
  return cost;
}

}  // namespace tanggul::bench
