#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/sync/clone_folder.h"
#include "app/sync/end_signals.h"
#include "app/sync/worker_page.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "ports/queue.h"
#include "sync/catalog/catalog.h"
#include "sync/work/slot.h"

namespace tanggul::app {

struct WorkQuery {
  bool once = false;               // until nothing is due or being done
  std::string release;             // empty: this version
  std::string track = "stable";    // or "canary"
  std::vector<std::string> pools;  // empty: all
  std::uint16_t slot = 0;          // of several workers on one machine: added to the port
};

// The slots of all pools with what they share: queue, metrics and their page; and the worker's own
// look at the catalog. Everything is the thread's that made it, but what the slots use.
class Worker {
 public:
  // Both outlive it.
  Worker(const WorkQuery& query, const Config& config);

  // Failure: it cannot begin.
  Expected<void> open();
  // Until a signal says so, or `once` is fulfilled, and the last job has ended or gone back. False:
  // it could not be told whether `once` is.
  bool run(const EndSignals& signals);

 private:
  // One queue with those who work on it.
  struct Crew {
    Crew(sync::Pool of, MetricSet& metrics, const std::string& version)
        : pool(std::move(of)), told(metrics, pool.name, version) {}

    const sync::Pool pool;
    sync::QueueMetrics told;
    std::vector<std::unique_ptr<sync::Slot>> slots;
  };

  Expected<void> open_catalog_at(const std::string& address);
  Expected<void> open_page();
  void hire(const std::string& catalog);
  std::unique_ptr<sync::Slot> slot(Crew& crew, int number, const std::string& catalog);
  bool wanted(const sync::Pool& pool) const;
  enum class Look { idle, busy, failed };
  Look look_at_queues();
  void look_for_due();
  void note_dead(const ports::Job& job);
  void wait_for_end(const EndSignals& signals, bool& told);

  const WorkQuery& query_;
  const Config& config_;
  const sync::Release release_;
  const std::string version_;  // the label of metrics: a canary's is "canary"
  MetricSet metrics_;
  sync::ParseMetrics parsing_;
  sync::Drain drain_;
  std::unique_ptr<ports::Queue> queue_;
  std::unique_ptr<ports::SqlSession> session_;
  std::unique_ptr<CloneFolder> clones_;
  Mutex catalog_mutex_;
  std::unique_ptr<sync::Catalog> catalog_ GUARDED_BY(catalog_mutex_);
  std::vector<std::unique_ptr<Crew>> crews_;
  std::unique_ptr<WorkerPage> page_;  // reads the metrics of the crews
};

}  // namespace tanggul::app
