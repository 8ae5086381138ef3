#pragma once

#include <string>
#include <utility>
#include <vector>

#include "async/task.h"
#include "tanggul/base/clock.h"

namespace tanggul::postgres {

using Settings = std::vector<std::pair<std::string, std::string>>;

// The settings of a connection for libpq, host names resolved without holding up the thread, as
// libpq itself would; not past `until`. `wrong`: why there are none.
Task<Settings> resolved(std::string address, MonoTime until, std::string& wrong);

// What libpq says against an address before it connects anywhere; empty: nothing.
std::string fault_of_address(const std::string& address);

}  // namespace tanggul::postgres
