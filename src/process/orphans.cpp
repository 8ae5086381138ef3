#include "process/orphans.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "base/mutex.h"
#include "process/tree.h"

namespace tanggul::process {
namespace {

struct Children {
  Mutex mutex;
  std::set<pid_t> known GUARDED_BY(mutex);
  bool adopting GUARDED_BY(mutex) = false;
};

Children& children() {
  static Children all;
  return all;
}

}  // namespace

void adopt_orphans() {
  const Lock lock(children().mutex);
  children().adopting = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

void end_orphans() {
  const Lock lock(children().mutex);
  if (!children().adopting) return;
  for (const pid_t child : children_of(::getpid())) {
    if (children().known.contains(child)) continue;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, WNOHANG);  // one that takes its time is reaped the next time
  }
}

// A child that is not known yet would be taken for an orphan.
pid_t fork_child() {
  const Lock lock(children().mutex);
  const pid_t child = ::fork();
  if (child > 0) children().known.insert(child);
  return child;
}

void forget_child(pid_t child) {
  const Lock lock(children().mutex);
  children().known.erase(child);
}

}  // namespace tanggul::process
