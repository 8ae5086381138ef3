#include "sync/work/slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "base/log.h"

namespace tanggul::sync {
namespace {

using ports::Claim;
using ports::Queue;
using ports::Settlement;

constexpr Duration kClaimWait = 1s, kRest = 1s;

}  // namespace

Slot::Slot(SlotConfig config, Queue& queue, QueueMetrics& metrics, ParseMetrics& parsing,
           const Drain& drain)
    : config_(std::move(config)),
      queue_(queue),
      metrics_(metrics),
      parsing_(parsing),
      drain_(drain),
      process_(config_.command, config_.order.pool.memory, config_.name) {}

void Slot::work() {
  while (!drain_.begun()) work_once();
}

bool Slot::work_once() {
  const auto claim = queue_.claim(config_.order.pool.name, config_.lease, kClaimWait);
  if (!claim) {
    log::warn("{}: no job can be had: {}", config_.name, claim.error().detail);
    drain_.wait(kRest);
    return false;
  }
  if (!*claim) return false;
  do_job(**claim);
  return true;
}

void Slot::do_job(const Claim& claim) {
  metrics_.busy(1);
  const MonoTime began = MonoClock::now();
  const JobProcess::Ended ended = run(claim);
  metrics_.busy(-1);
  log::info("{} {} {} in {:.2f} s, {} MiB{}{}", config_.name, claim.job.key, name(ended.end),
            seconds(MonoClock::now() - began), ended.peak / 1_MiB, ended.detail.empty() ? "" : ": ",
            printable(ended.detail));
  metrics_.ended(ended.end);
  if (ended.end != JobEnd::lost) settle(claim, ended);
}

JobProcess::Ended Slot::run(const Claim& claim) {
  JobOrder order = config_.order;
  order.url = claim.job.body;
  MonoTime renewed = MonoClock::now();
  return process_.run(order, [&, renewed]() mutable -> std::optional<JobEnd> {
    if (drain_.over()) return JobEnd::drained;
    const MonoTime now = MonoClock::now();
    if (now - renewed < config_.lease / 3) return std::nullopt;
    const auto held = queue_.renew(claim, config_.lease);
    if (held && *held == Queue::Held::lost) return JobEnd::lost;
    // A queue that cannot be reached has not given the job away before the lease is over.
    if (held) renewed = now;
    if (!held && now - renewed >= config_.lease) return JobEnd::lost;
    return std::nullopt;
  });
}

void Slot::settle(const Claim& claim, const JobProcess::Ended& ended) {
  const Run run{ended.end, ended.detail, ended.report ? ended.report->retry_after : std::nullopt};
  const Settlement next = fate(run, claim.job, config_.order.pool, config_.order.release,
                               config_.fate, wall_now(), thread_rng());
  if (ended.report) metrics_.spent(ended.report->spent);
  if (!say(claim, next)) return;
  if (next.kind == Settlement::Kind::dead && config_.on_dead) config_.on_dead(next.job);
  const bool is_over = next.kind == Settlement::Kind::done || next.kind == Settlement::Kind::dead;
  if (is_over) parsing_.count(ended.report ? ended.report->marks : StageMarks{});
}

// For as long as nobody else can have the job. What is not said then is done again, which changes
// nothing: the catalog has it already.
bool Slot::say(const Claim& claim, const Settlement& settlement) {
  const MonoTime until = MonoClock::now() + config_.lease / 2;
  for (;;) {
    const auto held = queue_.settle(claim, settlement);
    if (held && *held == Queue::Held::yes) return true;
    if (held) {
      log::warn("{}: {} has gone to another worker before it was settled", config_.name,
                claim.job.key);
      return false;
    }
    if (MonoClock::now() >= until) {
      log::error("{}: {} cannot be settled: {}", config_.name, claim.job.key, held.error().detail);
      return false;
    }
    std::this_thread::sleep_for(std::min(kRest, config_.lease / 10));
  }
}

}  // namespace tanggul::sync
