#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "shield/cluster.h"
#include "shield/shield.h"

namespace tanggul::app {

// What /api/status tells: how the process and each origin fare now, and what the last minutes were
// like. Keys are only ever added. Times are seconds, and where somebody may want to compare them
// with a log RFC 3339 too.
// `cluster` null: this node is in none.
boost::json::object status_report(const shield::Shield& shield, const shield::Cluster* cluster,
                                  MonoTime started);
// As it is sent.
std::string status_text(const shield::Shield& shield, const shield::Cluster* cluster,
                        MonoTime started);

}  // namespace tanggul::app
