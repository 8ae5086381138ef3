#pragma once

#include <sys/types.h>

namespace tanggul::process {

// What children of ours have started and left behind when they ended becomes this process's own
// from now on (PR_SET_CHILD_SUBREAPER), to be ended by end_orphans(). For a program all of whose
// children are Child objects.
void adopt_orphans();

// Ends and reaps the children of this process that are no Child; nothing where they are not
// adopted. Any thread.
void end_orphans();

// fork(), with whose child end_orphans() has nothing to do until forget_child().
pid_t fork_child();
void forget_child(pid_t child);

}  // namespace tanggul::process
