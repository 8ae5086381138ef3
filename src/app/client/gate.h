#pragma once

#include "app/client/admin_address.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {

struct GateQuery {
  AdminAddress admin;  // of the admin port, or of the port that clients use
  std::string origin;
  Duration wait = 10min;
  Duration spread = 10s;
};

// Waits until the origin serves, so that a job does not begin that could only fail. At once where
// it does; who has waited goes on after a random part of `spread`, since the others were woken at
// the same moment, and only if it serves still. kDone, kStillDown after `wait`, kFailed when no
// shield answers, kWrongUsage when it has no such origin.
int wait_at_gate(const GateQuery& query, const Console& console);

}  // namespace tanggul::app
