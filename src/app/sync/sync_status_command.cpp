#include "app/sync/sync_status_command.h"

#include <fmt/format.h>

#include <ostream>

#include "app/config/units.h"
#include "app/sync/stores.h"
#include "app/terminal/text_table.h"
#include "base/bytes.h"
#include "base/json_writer.h"
#include "sync/catalog/catalog.h"
#include "sync/catalog/stage_errors.h"

namespace tanggul::app {
namespace {

constexpr std::size_t kLatest = 10;

struct QueueStatus {
  sync::Pool pool;
  ports::QueueFigures figures;
  std::vector<ports::Job> dead;
};

struct SyncStatus {
  std::vector<QueueStatus> queues;
  std::vector<sync::StageErrors> errors;
  std::vector<sync::Tombstone> tombstones;
};

Expected<SyncStatus> status_of(const Config& config) {
  SyncStatus out;
  const auto queue = open_queue(config);
  if (!queue) return queue.error();
  for (const sync::Pool& pool : config.sync.pools) {
    const auto figures = (*queue)->figures(pool.name);
    if (!figures) return figures.error();
    auto dead = (*queue)->dead(pool.name, kLatest);
    if (!dead) return dead.error();
    out.queues.push_back({pool, *figures, std::move(*dead)});
  }
  const auto address = catalog_address(config);
  if (!address) return address.error();
  const auto session = open_catalog(*address);
  if (!session) return session.error();
  auto catalog = sync::Catalog::open(**session);
  if (!catalog) return catalog.error();
  auto tombstones = catalog->recent_tombstones(kLatest);
  if (!tombstones) return tombstones.error();
  out.tombstones = std::move(*tombstones);
  auto errors = sync::stage_errors(*catalog);
  if (!errors) return errors.error();
  out.errors = std::move(*errors);
  return out;
}

std::string json_of(const SyncStatus& status) {
  JsonWriter out;
  out.begin_object().key("queues").begin_array();
  for (const QueueStatus& queue : status.queues) {
    const auto& [ready, claimed, parked, dead, lag] = queue.figures;
    out.begin_object().field("queue", queue.pool.name);
    out.key("lag_seconds").number(seconds(lag));
    out.key("ready").number(ready).key("claimed").number(claimed);
    out.key("parked").number(parked).key("dead").number(dead);
    out.key("workers").number(static_cast<std::uint64_t>(queue.pool.workers));
    out.key("memory").number(queue.pool.memory).key("clone_limit").number(queue.pool.clone_limit);
    out.key("latest_dead").begin_array();
    for (const ports::Job& job : queue.dead)
      out.begin_object()
          .field("key", job.key)
          .field("failure", job.failure)
          .field("detail", job.detail)
          .field("release", job.release)
          .key("attempts")
          .number(static_cast<std::uint64_t>(job.attempts))
          .end_object();
    out.end_array().end_object();
  }
  out.end_array().key("parse_errors").begin_array();
  for (const sync::StageErrors& errors : status.errors)
    out.begin_object()
        .field("release", errors.release)
        .field("stage", errors.stage)
        .key("repositories")
        .number(static_cast<std::uint64_t>(errors.repositories))
        .end_object();
  out.end_array().key("tombstones").begin_array();
  for (const sync::Tombstone& stone : status.tombstones)
    out.begin_object()
        .field("url", stone.url)
        .field("reason", stone.reason)
        .field("detail", stone.detail)
        .field("release", stone.release)
        .end_object();
  return out.end_array().end_object().text();
}

std::string text_of(const SyncStatus& status, bool colour) {
  TextTable queues({{"QUEUE"},
                    {"LAG"},
                    {"READY"},
                    {"CLAIMED"},
                    {"PARKED"},
                    {"DEAD"},
                    {"WORKERS"},
                    {"MEMORY"},
                    {"CLONE"}},
                   1);
  const auto count = [](auto n) { return write_count(static_cast<double>(n)); };
  for (const QueueStatus& queue : status.queues) {
    const auto& [ready, claimed, parked, dead, lag] = queue.figures;
    queues.add({{queue.pool.name},
                {write_span(lag)},
                {count(ready)},
                {count(claimed)},
                {count(parked)},
                {count(dead), dead > 0 ? "\033[31m" : ""},
                {count(queue.pool.workers)},
                {write_size(queue.pool.memory)},
                {write_size(queue.pool.clone_limit)}});
  }
  constexpr std::size_t kWidth = 4096;
  std::string out = queues.text(kWidth, colour);
  bool first = true;
  for (const QueueStatus& queue : status.queues)
    for (const ports::Job& job : queue.dead) {
      if (std::exchange(first, false)) out += "\nKept apart, the latest first:\n";
      out += fmt::format("  {} {}: {}: {}\n", queue.pool.name, printable(job.key),
                         printable(job.failure), printable(job.detail));
    }
  if (!status.errors.empty()) out += "\nStages of parsing that gave up, by release:\n";
  for (const sync::StageErrors& errors : status.errors)
    out += fmt::format("  {} {}: {} repositories\n", printable(errors.release),
                       printable(errors.stage), errors.repositories);
  if (!status.tombstones.empty()) out += "\nNot to be visited, the latest first:\n";
  for (const sync::Tombstone& stone : status.tombstones)
    out += fmt::format("  {}: {}: {}\n", printable(stone.url), printable(stone.reason),
                       printable(stone.detail));
  return out;
}

}  // namespace

int show_sync_status(const Config& config, bool json, const Console& console) {
  const auto status = status_of(config);
  if (!status) {
    console.err << fmt::format("error: {}\n", printable(status.error().detail));
    return kFailed;
  }
  console.out << (json ? json_of(*status) + "\n" : text_of(*status, console.colour));
  return kDone;
}

}  // namespace tanggul::app
