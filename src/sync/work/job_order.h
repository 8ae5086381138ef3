#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "sync/pool.h"

namespace tanggul::sync {

// All that the process of a job is told: it knows no configuration and no queue.
struct JobOrder {
  std::string url;      // as it was given
  std::string catalog;  // its address
  std::string folder;   // to clone into; not there yet
  std::string release, track;
  std::vector<std::string> trusted;  // hosts that may be internal
  Pool pool;
};

// One line of JSON each, and back. Failure: it is no such text.
std::string to_json(const JobOrder& order);
Expected<JobOrder> job_order_of(std::string_view json);

}  // namespace tanggul::sync
