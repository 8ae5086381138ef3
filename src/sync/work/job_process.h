#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "process/child.h"
#include "process/memory_bound.h"
#include "sync/work/job_order.h"
#include "sync/work/job_report.h"

namespace tanggul::sync {

// Runs one job after the other, each in a process of its own that is told its order on standard
// input and says its report, one line, on standard output. Whatever a job meets ends with that
// process: it and all that it has started are gone, and so is its folder, when run() comes back.
// Used by one thread.
class JobProcess {
 public:
  // `command`: what takes an order. `name`: of this one among those of the process.
  JobProcess(process::Command command, ByteCount memory, const std::string& name);

  process::MemoryMechanism mechanism() const noexcept { return bound_->mechanism(); }

  struct Ended {
    JobEnd end = JobEnd::crashed;
    std::string detail;
    std::optional<JobReport> report;  // if it came to its own end
    ByteCount peak = 0;               // of its memory, as far as was seen
  };
  // `look` is asked every now and then; what it answers is the end of the job.
  Ended run(const JobOrder& order, const std::function<std::optional<JobEnd>()>& look);

 private:
  Ended watch(process::Child& child, const JobOrder& order,
              const std::function<std::optional<JobEnd>()>& look);
  Ended ended(process::Child& child, std::string line);
  Ended over_memory() const;

  const process::Command command_;
  const ByteCount memory_;
  const std::unique_ptr<process::MemoryBound> bound_;
};

}  // namespace tanggul::sync
