#pragma once

#include <functional>
#include <string>

#include "ports/queue.h"
#include "sync/parse_metrics.h"
#include "sync/pool.h"
#include "sync/work/drain.h"
#include "sync/work/fate.h"
#include "sync/work/job_order.h"
#include "sync/work/job_process.h"
#include "sync/work/work_metrics.h"

namespace tanggul::sync {

struct SlotConfig {
  std::string name;          // "repo_clone-0"; of its folder too
  JobOrder order;            // of each job, without its URL
  process::Command command;  // what takes an order
  FateConfig fate;
  Duration lease = 60s;
  // Told of each job that is kept apart from now on, by the slot's thread; may be empty.
  std::function<void(const ports::Job& job)> on_dead;
};

// One worker's place: it claims a job, has it done in a process of its own, keeps its lease
// meanwhile, and says what becomes of it. One thread's; what it is given outlives it.
class Slot {
 public:
  Slot(SlotConfig config, ports::Queue& queue, QueueMetrics& metrics, ParseMetrics& parsing,
       const Drain& drain);

  process::MemoryMechanism mechanism() const noexcept { return process_.mechanism(); }
  // Claims at most one job, waiting for it a moment, and does it. False: there was none.
  bool work_once();
  // Until the worker is to end.
  void work();

 private:
  void do_job(const ports::Claim& claim);
  JobProcess::Ended run(const ports::Claim& claim);
  void settle(const ports::Claim& claim, const JobProcess::Ended& ended);
  bool say(const ports::Claim& claim, const ports::Settlement& settlement);

  const SlotConfig config_;
  ports::Queue& queue_;
  QueueMetrics& metrics_;
  ParseMetrics& parsing_;
  const Drain& drain_;
  JobProcess process_;
};

}  // namespace tanggul::sync
