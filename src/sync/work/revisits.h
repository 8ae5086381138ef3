#pragma once

#include <string>

#include "ports/queue.h"
#include "sync/catalog/catalog.h"

namespace tanggul::sync {

struct RevisitsConfig {
  std::string pool;           // whose queue they go to
  std::size_t at_once = 500;  // so many are looked for at a time
  // A visit that was asked for and did not come about, whatever became of its job, is asked for
  // again only after this.
  Duration patience = kShortestRest;
};

// Puts what the catalog says is due again into the queue. Several processes may do so at once: a
// job's key is unique where the queue can tell, and visiting twice changes nothing. One thread's.
class Revisits {
 public:
  explicit Revisits(RevisitsConfig config) : config_(std::move(config)) {}

  // How many are on their way now.
  Expected<std::size_t> enqueue_due(Catalog& catalog, ports::Queue& queue, WallTime now) const;

 private:
  const RevisitsConfig config_;
};

}  // namespace tanggul::sync
