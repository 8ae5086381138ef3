#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "ports/queue.h"
#include "sync/parse_metrics.h"
#include "sync/pool.h"
#include "sync/work/job_end.h"
#include "sync/work/job_report.h"

namespace tanggul::sync {

// What a worker tells of one queue. All series exist at 0 from the start, but for those of the
// queue's state, which are absent until they are known. Safe from any thread.
class QueueMetrics {
 public:
  QueueMetrics(MetricSet& metrics, const std::string& queue, const std::string& version);

  void ended(JobEnd end) { ended_[static_cast<std::size_t>(end)]->add(); }
  void spent(const std::array<std::optional<Duration>, kJobStages>& spent);
  void set(const std::optional<ports::QueueFigures>& figures);
  void busy(int more) { busy_.add(more); }

 private:
  std::array<Counter*, kJobEnds> ended_;
  std::array<Histogram*, kJobStages> spent_;
  // NaN: not known.
  std::atomic<double> lag_, ready_, claimed_, parked_, dead_;
  Gauge& busy_;
};

}  // namespace tanggul::sync
