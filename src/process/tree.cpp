#include "process/tree.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace tanggul::process {
namespace {

void gather(pid_t of, std::set<pid_t>& out) {
  if (!out.insert(of).second) return;
  for (const pid_t child : children_of(of)) gather(child, out);
}

}  // namespace

// proc(5): /proc/PID/task/TID/children, the children that each thread has started.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> out;
  std::error_code ec;
  std::filesystem::directory_iterator at(fmt::format("/proc/{}/task", parent), ec), end;
  for (; !ec && at != end; at.increment(ec)) {
    std::ifstream children(at->path() / "children");
    for (pid_t child = 0; children >> child;) out.push_back(child);
  }
  return out;
}

ByteCount resident_of_tree(pid_t leader) {
  std::ifstream pages(fmt::format("/proc/{}/statm", leader));  // total resident …
  ByteCount total = 0, resident = 0;
  pages >> total >> resident;
  ByteCount sum = resident * static_cast<ByteCount>(::sysconf(_SC_PAGESIZE));
  for (const pid_t child : children_of(leader)) sum += resident_of_tree(child);
  return sum;
}

// Who is stopped starts nobody: once a look finds nobody new, all are known.
void end_tree(pid_t leader) {
  if (leader <= 0) return;
  std::set<pid_t> stopped;
  for (bool more = true; more;) {
    std::set<pid_t> found;
    gather(leader, found);
    more = false;
    for (const pid_t pid : found) {
      if (!stopped.insert(pid).second) continue;
      ::kill(pid, SIGSTOP);
      more = true;
    }
  }
  for (const pid_t pid : stopped) ::kill(pid, SIGKILL);
}

}  // namespace tanggul::process
