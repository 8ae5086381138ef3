#include "sync/work/fate.h"

#include <fmt/format.h>

namespace tanggul::sync {
namespace {

using ports::Job;
using ports::Settlement;

Settlement later(Job job, WallTime due) {
  return {.kind = Settlement::Kind::later, .job = std::move(job), .due = due};
}

Settlement dead(Job job, std::string why) {
  job.failure = std::move(why);
  return {.kind = Settlement::Kind::dead, .job = std::move(job)};
}

Settlement tried(Job job, const FateConfig& config, WallTime now, Rng& rng) {
  const int exponent = job.attempts++;
  if (job.attempts >= config.retry.attempts) {
    job.detail = fmt::format("{} attempts; the last: {}", job.attempts, job.detail);
    return dead(std::move(job), "poison");
  }
  return later(std::move(job), now + policy::full_jitter(config.retry, exponent, rng));
}

Settlement too_much(Job job, const Pool& pool) {
  if (pool.hands_on_to.empty() || !job.handed_on_by.empty())
    return dead(std::move(job), "quarantine");
  job.handed_on_by = pool.name;
  return {.kind = Settlement::Kind::handed_on, .job = std::move(job), .queue = pool.hands_on_to};
}

}  // namespace

Settlement fate(const Run& run, const Job& job, const Pool& pool, const std::string& release,
                const FateConfig& config, WallTime now, Rng& rng) {
  Job next = job;
  next.failure = name(run.end);
  next.detail = run.detail;
  next.release = release;
  switch (run.end) {
    case JobEnd::changed:
    case JobEnd::unchanged:
    case JobEnd::empty:
    case JobEnd::gone:
    case JobEnd::lost:
      return {};
    case JobEnd::transient:
    case JobEnd::crashed:
      return tried(std::move(next), config, now, rng);
    case JobEnd::busy: {
      if (now - job.enqueued > config.longest_busy) return dead(std::move(next), "poison");
      const Duration rest = run.retry_after.value_or(config.rest / 2);
      return later(std::move(next), now + rest + rng.upto(std::max(rest / 5, config.rest / 2)));
    }
    case JobEnd::drained:  // nothing is wrong with it
      return later(job, now);
    case JobEnd::oversize:
    case JobEnd::oom:
    case JobEnd::timeout:
      return too_much(std::move(next), pool);
  }
  return {};
}

}  // namespace tanggul::sync
