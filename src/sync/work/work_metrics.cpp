#include "sync/work/work_metrics.h"

#include <limits>

namespace tanggul::sync {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

QueueMetrics::QueueMetrics(MetricSet& metrics, const std::string& queue, const std::string& version)
    : lag_(kUnknown),
      ready_(kUnknown),
      claimed_(kUnknown),
      parked_(kUnknown),
      dead_(kUnknown),
      busy_(metrics.gauge("sync_slots_busy", "Jobs that are being done", {{"queue", queue}})) {
  for (std::size_t i = 0; i < kJobEnds; ++i)
    ended_[i] = &metrics.counter(
        "sync_jobs_total", "Runs of jobs, by how they ended",
        {{"queue", queue}, {"outcome", std::string(name(static_cast<JobEnd>(i)))}});
  for (std::size_t i = 0; i < kJobStages; ++i)
    spent_[i] = &metrics.histogram("sync_job_duration_seconds", "What jobs spend their time on",
                                   {{"queue", queue},
                                    {"stage", std::string(name(static_cast<JobStage>(i)))},
                                    {"version", version}});
  metrics.gauge_fn("sync_queue_lag_seconds",
                   "Age of the oldest job that is due and unclaimed; 0: there is none",
                   {{"queue", queue}}, [this] { return lag_.load(); });
  const auto state = [&](const char* word, const std::atomic<double>& value) {
    metrics.gauge_fn("sync_queue_messages", "Jobs in the queue, by state",
                     {{"queue", queue}, {"state", word}}, [&value] { return value.load(); });
  };
  state("ready", ready_);
  state("claimed", claimed_);
  state("parked", parked_);
  state("dead", dead_);
}

void QueueMetrics::spent(const std::array<std::optional<Duration>, kJobStages>& spent) {
  for (std::size_t i = 0; i < kJobStages; ++i)
    if (spent[i]) spent_[i]->observe(*spent[i]);
}

void QueueMetrics::set(const std::optional<ports::QueueFigures>& figures) {
  const auto put = [&](std::atomic<double>& value, auto what) {
    value = figures ? what(*figures) : kUnknown;
  };
  put(lag_, [](const auto& f) { return seconds(f.lag); });
  put(ready_, [](const auto& f) { return static_cast<double>(f.ready); });
  put(claimed_, [](const auto& f) { return static_cast<double>(f.claimed); });
  put(parked_, [](const auto& f) { return static_cast<double>(f.parked); });
  put(dead_, [](const auto& f) { return static_cast<double>(f.dead); });
}

}  // namespace tanggul::sync
