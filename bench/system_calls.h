#pragma once

#include <string>

#include "contest.h"

namespace tanggul::bench {

// What one hit asks of the kernel, counted by the kernel's own trace points while nothing else is
// disturbed; failed calls count as well.
struct SystemCalls {
  double receive = 0, send = 0, wait = 0, other = 0;  // a request
};

// Over three seconds of the load; throws where perf or its trace points are not to be had.
SystemCalls count_system_calls(const Subject& subject, const WrkLoad& load);

std::string to_cell(const SystemCalls& calls);

}  // namespace tanggul::bench
