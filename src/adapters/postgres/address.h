#pragma once

#include <string>
#include <utility>
#include <vector>

#include "async/task.h"

namespace tanggul::postgres {

using Settings = std::vector<std::pair<std::string, std::string>>;

// The settings of a connection for libpq, host names resolved without holding up the thread, as
// libpq itself would. `wrong`: why there are none.
Task<Settings> resolved(std::string address, std::string& wrong);

}  // namespace tanggul::postgres
