#include "app/sync/work_command.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <thread>

#include "app/config/url.h"
#include "app/sync/stores.h"
#include "app/sync/worker_page.h"
#include "app/version.h"
#include "base/log.h"
#include "base/mutex.h"
#include "sync/catalog/catalog.h"
#include "sync/work/slot.h"

namespace tanggul::app {
namespace {

// What of our environment a job's process needs.
std::vector<std::string> environment_of_jobs() {
  std::vector<std::string> out;
  for (const char* const name : {"PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "TANGGUL_FAULT",
                                 "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
    if (const char* const value = std::getenv(name))
      out.push_back(fmt::format("{}={}", name, value));
  return out;
}

// SIGTERM and SIGINT, taken by whoever asks for them; blocked in every thread that is started
// after.
class EndSignals {
 public:
  EndSignals() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGTERM);
    ::sigaddset(&set_, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  // True: one has come by then.
  bool wait(Duration at_most) const {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(at_most);
    const timespec time{whole.count(), (at_most - whole).count()};
    return ::sigtimedwait(&set_, nullptr, &time) > 0;
  }

 private:
  sigset_t set_{};
};

// One queue with those who work on it.
struct Crew {
  Crew(sync::Pool of, MetricSet& metrics, const std::string& version)
      : pool(std::move(of)), told(metrics, pool.name, version) {}

  const sync::Pool pool;
  sync::QueueMetrics told;
  std::vector<std::unique_ptr<sync::Slot>> slots;
};

class Worker {
 public:
  Worker(const WorkQuery& query, const Config& config)
      : query_(query),
        config_(config),
        release_{query.release.empty() ? kVersion : query.release, query.track},
        version_(query.track == "canary" ? query.track : release_.name),
        parsing_(metrics_, version_) {
    metrics_
        .gauge("tanggul_build_info", "Always 1",
               {{"version", version_}, {"track", release_.track}, {"release", release_.name}})
        .set(1);
  }

  Expected<void> open() {
    auto queue = open_queue(config_);
    if (!queue) return queue.error();
    queue_ = std::move(*queue);
    const auto address = catalog_address(config_);
    if (!address) return address.error();
    auto session = open_catalog(*address);
    if (!session) return session.error();
    session_ = std::move(*session);
    auto catalog = sync::Catalog::open(*session_);
    if (!catalog) return catalog.error();
    {
      const Lock lock(catalog_mutex_);
      catalog_ = std::make_unique<sync::Catalog>(std::move(*catalog));
    }
    const auto folder = sync_folder(config_);
    if (!folder) return folder.error();
    const HostPort at = *read_host_port(config_.sync.listen).value;
    std::string error;
    const auto port = static_cast<std::uint16_t>(at.port == 0 ? 0 : at.port + query_.slot);
    page_ = WorkerPage::open(at.host, port, metrics_, drain_, error);
    if (!page_) return Failure{Errc::io, fmt::format("{}:{}: {}", at.host, port, error)};
    hire(*address, *folder);
    return {};
  }

  void run(const EndSignals& signals) {
    std::vector<std::thread> threads;
    for (const auto& crew : crews_)
      for (const auto& slot : crew->slots) threads.emplace_back([&s = *slot] { s.work(); });
    log::info("release {}, track {}; metrics on port {}", release_.name, release_.track,
              page_->port());
    while (!drain_.begun()) {
      const bool idle = look_at_queues();
      if (query_.once && idle) drain_.begin(config_.shutdown);
      if (!query_.once) enqueue_due();
      if (signals.wait(query_.once ? 100ms : 1s)) drain_.begin(config_.shutdown);
    }
    std::thread second([&] {
      while (!all_ended_)
        if (signals.wait(100ms)) drain_.end_now();
    });
    for (std::thread& thread : threads) thread.join();
    all_ended_ = true;
    second.join();
  }

 private:
  void hire(const std::string& catalog, const std::string& folder) {
    for (const sync::Pool& pool : config_.sync.pools) {
      if (!wanted(pool)) continue;
      crews_.push_back(std::make_unique<Crew>(pool, metrics_, version_));
      for (int i = 0; i < pool.workers; ++i)
        crews_.back()->slots.push_back(slot(pool, i, catalog, folder));
      if (crews_.back()->slots.empty()) continue;
      const auto mechanism = name(crews_.back()->slots[0]->mechanism());
      log::info("{}: {} workers, {} MiB each, bounded by {}", pool.name, pool.workers,
                pool.memory / 1_MiB, mechanism);
      metrics_
          .gauge("sync_memory_bound", "Always 1; how the memory of jobs is bounded",
                 {{"queue", pool.name}, {"mechanism", std::string(mechanism)}})
          .set(1);
    }
  }

  std::unique_ptr<sync::Slot> slot(const sync::Pool& pool, int number, const std::string& catalog,
                                   const std::string& folder) {
    sync::SlotConfig slot;
    slot.name = fmt::format("{}-{}", pool.name, number);
    slot.command = {{"/proc/self/exe", "sync", "job"}, environment_of_jobs()};
    slot.lease = config_.sync.lease;
    slot.fate.retry.attempts = config_.sync.attempts;
    slot.on_dead = [this](const ports::Job& job) { note_dead(job); };
    slot.order.catalog = catalog;
    slot.order.folder = fmt::format("{}/clones/{}-{}", folder, ::getpid(), slot.name);
    slot.order.release = release_.name;
    slot.order.track = release_.track;
    slot.order.trusted = config_.sync.internal_hosts;
    slot.order.pool = pool;
    return std::make_unique<sync::Slot>(std::move(slot), *queue_, crews_.back()->told, parsing_,
                                        drain_);
  }

  bool wanted(const sync::Pool& pool) const {
    return query_.pools.empty() ||
           std::find(query_.pools.begin(), query_.pools.end(), pool.name) != query_.pools.end();
  }

  // True: nothing is due and nothing is being done.
  bool look_at_queues() {
    bool idle = true;
    for (const auto& crew : crews_) {
      const auto figures = queue_->figures(crew->pool.name);
      crew->told.set(figures ? std::optional(*figures) : std::nullopt);
      idle = idle && figures && figures->ready == 0 && figures->claimed == 0;
    }
    return idle;
  }

  // So that it is not due again at once.
  void note_dead(const ports::Job& job) {
    const Lock lock(catalog_mutex_);
    const auto done = catalog_->note({.repository = {.url = job.key},
                                      .release = release_,
                                      .at = wall_now(),
                                      .outcome = sync::Outcome::failed,
                                      .detail = job.failure + ": " + job.detail});
    if (!done)
      log::warn("{} is dead, and the catalog was not told: {}", job.key, done.error().detail);
  }

  // What the catalog says is to be visited again; who looks first puts it into the queue.
  void enqueue_due() {
    constexpr Duration kBetween = 60s;
    constexpr std::size_t kAtOnce = 500;
    const MonoTime now = MonoClock::now();
    if (crews_.empty() || now < next_look_) return;
    next_look_ = now + kBetween;
    const Lock lock(catalog_mutex_);
    const auto due = catalog_->due(wall_now(), kAtOnce);
    if (!due) return log::warn("the catalog cannot be asked what is due: {}", due.error().detail);
    for (const std::string& url : *due) {
      ports::Job job;
      job.key = job.body = url;
      job.enqueued = wall_now();
      if (!queue_->enqueue(crews_[0]->pool.name, job, job.enqueued)) return;
    }
  }

  const WorkQuery& query_;
  const Config& config_;
  const sync::Release release_;
  const std::string version_;
  MetricSet metrics_;
  sync::ParseMetrics parsing_;
  sync::Drain drain_;
  std::unique_ptr<ports::Queue> queue_;
  std::unique_ptr<ports::SqlSession> session_;
  Mutex catalog_mutex_;
  std::unique_ptr<sync::Catalog> catalog_ GUARDED_BY(catalog_mutex_);
  std::vector<std::unique_ptr<Crew>> crews_;
  std::unique_ptr<WorkerPage> page_;  // reads the metrics of the crews
  MonoTime next_look_{};
  std::atomic<bool> all_ended_{false};
};

}  // namespace

int work(const WorkQuery& query, const Config& config, const Console& console) {
  for (const std::string& pool : query.pools)
    if (config.sync.find(pool) == nullptr) {
      console.err << fmt::format("error: --pool: there is no pool \"{}\"\n", printable(pool));
      return kWrongUsage;
    }
  const EndSignals signals;
  ::signal(SIGPIPE, SIG_IGN);
  Worker worker(query, config);
  if (const auto opened = worker.open(); !opened) {
    console.err << fmt::format("error: {}\n", printable(opened.error().detail));
    return kFailed;
  }
  worker.run(signals);
  return kDone;
}

}  // namespace tanggul::app
