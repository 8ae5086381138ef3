#include "app/sync/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "adapters/git/git_cloner.h"
#include "app/config/url.h"
#include "app/sync/stores.h"
#include "app/version.h"
#include "base/log.h"
#include "process/orphans.h"
#include "sync/work/revisits.h"

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

// As a socket takes it.
std::string numeric(const std::string& host) {
  if (host == "localhost") return "127.0.0.1";
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

Worker::Worker(const WorkQuery& query, const Config& config)
    : query_(query),
      config_(config),
      release_{query.release.empty() ? kVersion : query.release, query.track},
      version_(query.track == "canary" ? query.track : release_.name),
      parsing_(metrics_, version_) {
  metrics_
      .gauge("tanggul_build_info", "What runs here",
             {{"version", version_}, {"track", release_.track}, {"release", release_.name}})
      .set(1);
}

Expected<void> Worker::open() {
  // Without it every job would wait for better days.
  if (!git::can_run()) return Failure{Errc::io, "git cannot be run: is it installed, and in PATH?"};
  process::adopt_orphans();
  auto queue = open_queue(config_);
  if (!queue) return queue.error();
  queue_ = std::move(*queue);
  const auto address = catalog_address(config_);
  if (!address) return address.error();
  if (auto opened = open_catalog_at(*address); !opened) return opened;
  const auto folder = sync_folder(config_);
  if (!folder) return folder.error();
  auto clones = CloneFolder::open(*folder + "/clones");
  if (!clones) return clones.error();
  clones_ = std::move(*clones);
  if (auto opened = open_page(); !opened) return opened;
  hire(*address);
  return {};
}

Expected<void> Worker::open_catalog_at(const std::string& address) {
  auto session = open_catalog(address);
  if (!session) return session.error();
  session_ = std::move(*session);
  auto catalog = sync::Catalog::open(*session_);
  if (!catalog) return catalog.error();
  const Lock lock(catalog_mutex_);
  catalog_ = std::make_unique<sync::Catalog>(std::move(*catalog));
  return {};
}

Expected<void> Worker::open_page() {
  const HostPort at = *read_host_port(config_.sync.listen).value;
  const int port = at.port == 0 ? 0 : at.port + query_.slot;
  if (port > 65535) return Failure{Errc::bad_input, fmt::format("there is no port {}", port)};
  std::string error;
  page_ =
      WorkerPage::open(numeric(at.host), static_cast<std::uint16_t>(port), metrics_, drain_, error);
  if (!page_) return Failure{Errc::io, fmt::format("{}:{}: {}", at.host, port, error)};
  return {};
}

void Worker::hire(const std::string& catalog) {
  for (const sync::Pool& pool : config_.sync.pools) {
    if (!wanted(pool)) continue;
    Crew& crew = *crews_.emplace_back(std::make_unique<Crew>(pool, metrics_, version_));
    for (int i = 0; i < pool.workers; ++i) crew.slots.push_back(slot(crew, i, catalog));
    if (crew.slots.empty()) continue;
    const auto mechanism = name(crew.slots[0]->mechanism());
    log::info("{}: {} workers, {} MiB each, bounded by {}", pool.name, pool.workers,
              pool.memory / 1_MiB, mechanism);
    metrics_
        .gauge("sync_memory_bound", "Always 1; how the memory of jobs is bounded",
               {{"queue", pool.name}, {"mechanism", std::string(mechanism)}})
        .set(1);
  }
}

std::unique_ptr<sync::Slot> Worker::slot(Crew& crew, int number, const std::string& catalog) {
  sync::SlotConfig slot;
  slot.name = fmt::format("{}-{}", crew.pool.name, number);
  // Whatever the file of that name has become since, it is this program.
  slot.command = {{"/proc/self/exe", "sync", "job"}, environment_of_jobs()};
  slot.lease = config_.sync.lease;
  slot.fate.retry.attempts = config_.sync.attempts;
  slot.on_dead = [this](const ports::Job& job) { note_dead(job); };
  slot.order.catalog = catalog;
  slot.order.folder = clones_->path() + "/" + slot.name;
  slot.order.release = release_.name;
  slot.order.track = release_.track;
  slot.order.trusted = config_.sync.internal_hosts;
  slot.order.pool = crew.pool;
  return std::make_unique<sync::Slot>(std::move(slot), *queue_, crew.told, parsing_, drain_);
}

bool Worker::wanted(const sync::Pool& pool) const {
  return query_.pools.empty() ||
         std::find(query_.pools.begin(), query_.pools.end(), pool.name) != query_.pools.end();
}

bool Worker::run(const EndSignals& signals) {
  std::vector<std::thread> threads;
  for (const auto& crew : crews_)
    for (const auto& slot : crew->slots) threads.emplace_back([&s = *slot] { s.work(); });
  if (!query_.once) threads.emplace_back([this] { look_for_due(); });
  log::info("release {}, track {}; metrics on port {}", release_.name, release_.track,
            page_->port());
  bool told = true;
  wait_for_end(signals, told);
  std::atomic<bool> all_ended{false};
  std::thread second([&] {
    while (!all_ended)
      if (signals.wait(100ms)) drain_.end_now();
  });
  for (std::thread& thread : threads) thread.join();
  all_ended = true;
  second.join();
  return told;
}

// Who asked for an end when all is done is not kept waiting by a queue that does not say.
void Worker::wait_for_end(const EndSignals& signals, bool& told) {
  constexpr Duration kPatience = 60s;
  MonoTime answered = MonoClock::now();
  while (!drain_.begun()) {
    const Look look = look_at_queues();
    const MonoTime now = MonoClock::now();
    if (look != Look::failed) answered = now;
    told = !query_.once || now - answered < kPatience;
    if (query_.once && (look == Look::idle || !told)) drain_.begin(config_.shutdown);
    if (signals.wait(query_.once ? 100ms : 1s)) drain_.begin(config_.shutdown);
  }
}

// idle: nothing is due and nothing is being done, of what somebody works on here.
Worker::Look Worker::look_at_queues() {
  Look look = Look::idle;
  for (const auto& crew : crews_) {
    const auto figures = queue_->figures(crew->pool.name);
    crew->told.set(figures ? std::optional(*figures) : std::nullopt);
    if (crew->slots.empty()) continue;
    if (!figures)
      look = Look::failed;
    else if (look == Look::idle && (figures->ready > 0 || figures->claimed > 0))
      look = Look::busy;
  }
  return look;
}

// A thread of its own: a catalog may take its time.
void Worker::look_for_due() {
  constexpr Duration kBetween = 60s;
  // The same for all workers, whatever pools each of them has.
  const sync::Revisits revisits({.pool = config_.sync.pools.front().name});
  do {
    const Lock lock(catalog_mutex_);
    const auto due = revisits.enqueue_due(*catalog_, *queue_, wall_now());
    if (!due) log::warn("what is due again cannot be enqueued: {}", due.error().detail);
  } while (!drain_.wait(kBetween));
}

// So that it is not due again at once.
void Worker::note_dead(const ports::Job& job) {
  const Lock lock(catalog_mutex_);
  const auto done = catalog_->note({.repository = {.url = job.key},
                                    .release = release_,
                                    .at = wall_now(),
                                    .outcome = sync::Outcome::failed,
                                    .detail = job.failure + ": " + job.detail});
  if (!done)
    log::warn("{} is dead, and the catalog was not told: {}", job.key, done.error().detail);
}

}  // namespace tanggul::app
