#include "sync/work/job_process.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "process/orphans.h"

namespace tanggul::sync {
namespace {

using process::Child;
using process::ChildLimits;

// Between two looks at memory and lease: what takes 4 GiB a second is 200 MiB further by then.
constexpr Duration kLook = 50ms;
// A job ends itself in time; one that does not is ended.
constexpr Duration kOvertime = 5s;
constexpr std::size_t kLongestReport = 64_KiB;
constexpr ByteCount kUnlimited = std::numeric_limits<ByteCount>::max();

// Where nothing but a look now and then bounds memory, its own allocations fail at the limit first.
// A sanitizer's run needs more room than there is in any machine.
ByteCount own_limit(const process::MemoryBound& bound, ByteCount memory) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  static_cast<void>(bound);
  static_cast<void>(memory);
  return kUnlimited;
#else
  return bound.mechanism() == process::MemoryMechanism::polling ? memory : kUnlimited;
#endif
}

void remove_folder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

}  // namespace

JobProcess::JobProcess(process::Command command, ByteCount memory, const std::string& name)
    : command_(std::move(command)),
      memory_(memory),
      bound_(process::MemoryBound::make(memory, name)) {}

JobProcess::Ended JobProcess::run(const JobOrder& order,
                                  const std::function<std::optional<JobEnd>()>& look) {
  remove_folder(order.folder);  // of a process that was killed
  bound_->reset();
  ChildLimits limits{.silence = kLook};
  limits.memory = own_limit(*bound_, memory_);
  limits.file_size =
      kUnlimited;  // the catalog's file may be large; git's are bounded where it runs
  limits.join = bound_->join();
  auto child = Child::start(command_, limits);
  if (!child) return {.end = JobEnd::busy, .detail = child.error().detail};
  Ended out = watch(**child, order, look);
  bound_->end_all((*child)->pid());
  child->reset();
  process::end_orphans();  // of one that ended by itself, where no group holds them
  out.peak = bound_->peak();
  remove_folder(order.folder);
  return out;
}

JobProcess::Ended JobProcess::watch(Child& child, const JobOrder& order,
                                    const std::function<std::optional<JobEnd>()>& look) {
  child.write(to_json(order) + "\n");
  child.end_input();
  const MonoTime until = MonoClock::now() + order.pool.timeout + kOvertime;
  std::string line;
  for (;;) {
    const auto bytes = child.read();
    if (bound_->exceeded(child.pid())) return over_memory();
    if (const auto end = look()) return {.end = *end};
    if (MonoClock::now() >= until)
      return {.end = JobEnd::timeout, .detail = "it did not end in time"};
    if (bytes && bytes->empty()) break;
    if (!bytes && bytes.error().code != Errc::stalled)
      return {.end = JobEnd::crashed, .detail = bytes.error().detail};
    if (bytes && line.size() < kLongestReport) line += *bytes;
  }
  return ended(child, std::move(line));
}

JobProcess::Ended JobProcess::ended(Child& child, std::string line) {
  auto status = child.wait();
  for (int i = 0; !status && i < 20; ++i) status = child.wait();  // its output was closed first
  if (bound_->exceeded(child.pid())) return over_memory();
  if (!status) return {.end = JobEnd::crashed, .detail = "it closed its output and did not end"};
  // It never began: not let into its group, or the program is not there. That is no job's fault.
  if (*status == 126 || *status == 127)
    return {.end = JobEnd::busy, .detail = "its process cannot begin: " + child.complaint()};
  if (*status != 0) {
    return {.end = JobEnd::crashed,
            .detail = *status > 128
                          ? fmt::format("ended by signal {}", *status - 128)
                          : fmt::format("exit status {}: {}", *status, child.complaint())};
  }
  auto report = job_report_of(line);
  if (!report) return {.end = JobEnd::crashed, .detail = report.error().detail};
  return {.end = report->end, .detail = report->detail, .report = std::move(*report)};
}

JobProcess::Ended JobProcess::over_memory() const {
  return {.end = JobEnd::oom,
          .detail = fmt::format("over the pool's {} MiB of memory", memory_ / 1_MiB)};
}

}  // namespace tanggul::sync
