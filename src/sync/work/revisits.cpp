#include "sync/work/revisits.h"

namespace tanggul::sync {

// Enqueued first: what is postponed and not enqueued, as by a crash in between, would be late. And
// all of it postponed: what stays due, its job waiting elsewhere or kept apart, would be in the way
// of others for ever.
Expected<std::size_t> Revisits::enqueue_due(Catalog& catalog, ports::Queue& queue,
                                            WallTime now) const {
  std::size_t enqueued = 0;
  for (;;) {
    const auto due = catalog.due(now, config_.at_once);
    if (!due) return due.error();
    for (const std::string& url : *due) {
      ports::Job job;
      job.key = job.body = url;
      job.enqueued = now;
      const auto done = queue.enqueue(config_.pool, job, now);
      if (!done) return done.error();
    }
    if (auto later = catalog.postpone(*due, now + config_.patience); !later) return later.error();
    enqueued += due->size();
    if (due->size() < config_.at_once) return enqueued;
  }
}

}  // namespace tanggul::sync
