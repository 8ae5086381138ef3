#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/metrics.h"
#include "sync/work/drain.h"

namespace tanggul::app {

// A worker's /metrics and /healthz on a port of its own, served by a thread of its own. /healthz
// fails once the worker is ending, so that nobody counts on it any more.
class WorkerPage {
 public:
  // Null: the address cannot be had, and `error` says why. What it is given outlives it.
  static std::unique_ptr<WorkerPage> open(const std::string& host, std::uint16_t port,
                                          const MetricSet& metrics, const sync::Drain& drain,
                                          std::string& error);
  ~WorkerPage();
  std::uint16_t port() const;

 private:
  struct Core;
  explicit WorkerPage(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace tanggul::app
