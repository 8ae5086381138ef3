#pragma once

#include <sys/types.h>

#include <vector>

#include "base/bytes.h"

namespace tanggul::process {

std::vector<pid_t> children_of(pid_t parent);

// What a process and its descendants have resident, a shared page once for each that has it.
ByteCount resident_of_tree(pid_t leader);

// Ends a process and its descendants, those too that it starts meanwhile. They are not reaped.
void end_tree(pid_t leader);

}  // namespace tanggul::process
