#include "process/orphans.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "base/mutex.h"
#include "process/tree.h"
#include "tanggul/base/clock.h"

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

// One that is reaped has handed its own children on to us before, so that none are missed once
// there are none. One that does not die, being in the hands of a device, is left to the next call.
void end_orphans() {
  const Lock lock(children().mutex);
  if (!children().adopting) return;
  for (const MonoTime until = MonoClock::now() + 2s; MonoClock::now() < until;) {
    bool any = false, dying = false;
    for (const pid_t child : children_of(::getpid())) {
      if (children().known.contains(child)) continue;
      any = true;
      ::kill(child, SIGKILL);
      dying = ::waitpid(child, nullptr, WNOHANG) != child || dying;
    }
    if (!any) return;
    if (dying) std::this_thread::sleep_for(1ms);
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
