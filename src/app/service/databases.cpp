#include "app/service/databases.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "adapters/sqlite/sqlite_database.h"
#include "app/service/changes.h"

namespace tanggul::app {
namespace {

// For those who are on their way to a database that a reload has taken away.
constexpr Duration kToFinish = 30s;

registry::sql::Query query_of(const shield::OriginConfig& origin, const SqlSettings& settings) {
  return {origin.name, settings.query, settings.parameters, settings.many, origin.max_object};
}

}  // namespace

Databases::Entry Databases::make(const shield::OriginConfig& origin, const SqlSettings& settings,
                                 bool demo, async::Executor executor) {
  Entry entry;
  entry.origin = origin.name;
  if (settings.engine == SqlEngine::sqlite) {
    sqlite::DatabaseConfig config;
    config.query = query_of(origin, settings);
    config.file = settings.file;
    config.pool = settings.pool;
    config.deadline = origin.deadline;
    config.has_pause = demo;
    entry.database = sqlite::make_database(std::move(config));
    return entry;
  }
  postgres::DatabaseConfig config;
  config.query = query_of(origin, settings);
  config.address = settings.database;
  config.pool = settings.pool;
  config.connect = origin.timeouts.connect;
  config.statement = origin.deadline;
  entry.database = postgres::make_database(executor, std::move(config));
  if (!settings.notify.empty())
    entry.listener = postgres::listen(
        executor, {origin.name, settings.database, settings.notify, origin.timeouts.connect},
        forget_changed(shield_, origin.name, {*settings.path, settings.parameters}));
  return entry;
}

void Databases::adopt(const Config& config, async::Executor executor) {
  Entries next, before;
  {
    const Lock lock(mutex_);
    before = entries_;
  }
  for (std::size_t i = 0; i < config.shield.origins.size(); ++i) {
    const shield::OriginConfig& origin = config.shield.origins[i];
    if (config.settings[i].kind != "sql") continue;
    const std::string& address = origin.upstreams.front().base;
    const auto known = before.find(address);
    next[address] = known != before.end()
                        ? known->second
                        : make(origin, config.settings[i].sql, config.demo, executor);
    show_pool(origin.name);
  }
  const Lock lock(mutex_);
  entries_.swap(next);
  for (auto& [address, entry] : next) {
    if (entries_.contains(address)) continue;
    entry.listener.reset();
    retired_.push_back({{{address, std::move(entry)}}, MonoClock::now() + kToFinish});
  }
}

void Databases::tidy(MonoTime now) {
  const auto gone = std::make_shared<std::vector<Retired>>();
  {
    const Lock lock(mutex_);
    const auto over = std::partition(retired_.begin(), retired_.end(),
                                            [&](const Retired& r) { return now < r.until; });
    std::move(over, retired_.end(), std::back_inserter(*gone));
    retired_.erase(over, retired_.end());
  }
  // The end of one may wait for a query: not here.
  if (!gone->empty()) shield_.offload().post([gone] { gone->clear(); });
}

void Databases::clear() {
  Entries gone;
  std::vector<Retired> retired;
  const Lock lock(mutex_);
  gone.swap(entries_);
  retired.swap(retired_);
}

std::shared_ptr<ports::Database> Databases::find(std::string_view address) const {
  const Lock lock(mutex_);
  if (const auto found = entries_.find(address); found != entries_.end())
    return found->second.database;
  for (const Retired& r : retired_)
    if (const auto found = r.entries.find(address); found != r.entries.end())
      return found->second.database;
  return nullptr;
}

double Databases::figure(const std::string& origin,
                         std::size_t ports::Database::Figures::* which) const {
  const Lock lock(mutex_);
  for (const auto& [address, entry] : entries_)
    if (entry.origin == origin) return static_cast<double>(entry.database->pool().*which);
  return std::numeric_limits<double>::quiet_NaN();  // it is configured no more
}

void Databases::show_pool(const std::string& origin) {
  using Figures = ports::Database::Figures;
  static constexpr std::pair<const char*, std::size_t Figures::*> kStates[] = {
      {"idle", &Figures::idle},
      {"busy", &Figures::busy},
      {"opening", &Figures::opening},
      {"waiting", &Figures::waiting},
      {"limit", &Figures::size}};
  for (const auto& [state, which] : kStates)
    metrics_.gauge_fn("tanggul_sql_pool",
                      "Connections to the database by their state; waiting: queries for one",
                      {{"origin", origin}, {"state", state}},
                      [this, origin, figures = which] { return figure(origin, figures); });
}

}  // namespace tanggul::app
