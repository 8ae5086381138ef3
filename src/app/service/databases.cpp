#include "app/service/databases.h"

#include <fmt/format.h>

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
  return {.origin = origin.name,
          .text = settings.query,
          .parameters = settings.parameters,
          .many = settings.many,
          .inferred = settings.inferred,
          .max_object = origin.max_object};
}

std::string text_of(const shield::OriginConfig& origin, const SqlSettings& settings) {
  std::string text = fmt::format(
      "{}\n{}\n{} {} {} {} {} {}", settings.database, settings.query, settings.many, settings.pool,
      settings.notify, origin.deadline.count(), origin.timeouts.connect.count(), origin.max_object);
  text += settings.path->text();
  for (const auto& p : settings.parameters)
    text += fmt::format("\n{} {}", p.name, registry::sql::name(p.type));
  return text;
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
        forget_changed(executor, shield_, origin.name,
                       {*settings.path, settings.parameters, settings.inferred, ""}));
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
    const std::string settings = text_of(origin, config.settings[i].sql);
    Entry& entry = next[address];
    if (known != before.end() && known->second.settings == settings) {
      entry = known->second;
      // What the database has said of the parameters, the new routes are told too.
      for (std::size_t p = 0; p < entry.inferred->size(); ++p)
        config.settings[i].sql.inferred->set(p, entry.inferred->at(p));
    } else {
      entry = make(origin, config.settings[i].sql, config.demo, executor);
      entry.settings = settings;
      entry.inferred = config.settings[i].sql.inferred;
    }
    show_pool(origin.name);
  }
  const Lock lock(mutex_);
  entries_.swap(next);
  for (auto& [address, entry] : next) {
    const auto now = entries_.find(address);
    if (now != entries_.end() && now->second.database == entry.database) continue;
    entry.listener.reset();
    retired_.push_back({address, std::move(entry), MonoClock::now() + kToFinish});
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

void Databases::close() {
  const Lock lock(mutex_);
  for (auto& [address, entry] : entries_) {
    entry.listener.reset();
    entry.database->close();
  }
  for (Retired& r : retired_) r.entry.database->close();
}

bool Databases::busy() const {
  const Lock lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const auto& e) { return e.second.database->pool().busy > 0; });
}

void Databases::clear() {
  close();
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
    if (r.address == address) return r.entry.database;
  return nullptr;
}

double Databases::figure(const std::string& origin, Read read) const {
  const Lock lock(mutex_);
  for (const auto& [address, entry] : entries_)
    if (entry.origin == origin) return static_cast<double>(read(entry.database->pool()));
  return std::numeric_limits<double>::quiet_NaN();  // it is configured no more
}

void Databases::show_pool(const std::string& origin) {
  using Figures = ports::Database::Figures;
  const auto show = [&](const char* state, Read read) {
    metrics_.gauge_fn("tanggul_sql_pool",
                      "Connections to the database by their state; waiting: queries for one",
                      {{"origin", origin}, {"state", state}},
                      [this, origin, read] { return figure(origin, read); });
  };
  show("idle", [](const Figures& f) { return f.idle; });
  show("busy", [](const Figures& f) { return f.busy; });
  show("opening", [](const Figures& f) { return f.opening; });
  show("waiting", [](const Figures& f) { return f.waiting; });
  show("limit", [](const Figures& f) { return f.size; });
}

}  // namespace tanggul::app
