#pragma once

#include <string>

#include "app/client/admin_address.h"

namespace tanggul::app {

// Asks the admin port of a running shield and prints a table of its origins, or the answer as it
// is. Blocks for at most 5 s. The exit status.
int show_status(const AdminAddress& admin, bool as_json, const Console& console);

}  // namespace tanggul::app
