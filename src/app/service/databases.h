#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/postgres/postgres_database.h"
#include "app/config/config.h"
#include "async/task.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "ports/database.h"
#include "shield/shield.h"

namespace tanggul::app {

// The databases of the origins of kind sql, by the address that an origin has in the shield, and
// what they tell of changes. find() from any thread.
class Databases {
 public:
  Databases(shield::Shield& shield, MetricSet& metrics) : shield_(shield), metrics_(metrics) {}

  // Those of this configuration from now on. One whose settings have not changed stays as it is;
  // one that has gone is still found for a while, by those who are on their way to it.
  void adopt(const Config& config, async::Executor executor);
  // Lets go of what has been gone for long enough. Once a second or so.
  void tidy(MonoTime now);
  // No more queries, and those that run are cancelled; before the executor stops.
  void close();
  bool busy() const;  // with a query, or with the end of one
  // None any more; before the executor goes.
  void clear();

  // Null: there is none, or not any more.
  std::shared_ptr<ports::Database> find(std::string_view address) const;

 private:
  struct Entry {
    std::string origin;
    std::string settings;  // all of them, to be compared
    std::shared_ptr<const registry::sql::Inferred> inferred;
    std::shared_ptr<ports::Database> database;
    std::shared_ptr<postgres::Listener> listener;  // null: it has no channel
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  Entry make(const shield::OriginConfig& origin, const SqlSettings& settings, bool demo,
             async::Executor executor);
  void show_pool(const std::string& origin);
  using Read = std::size_t (*)(const ports::Database::Figures&);
  double figure(const std::string& origin, Read read) const;

  shield::Shield& shield_;
  MetricSet& metrics_;
  mutable Mutex mutex_;
  Entries entries_ GUARDED_BY(mutex_);
  struct Retired {
    std::string address;
    Entry entry;
    MonoTime until;
  };
  std::vector<Retired> retired_ GUARDED_BY(mutex_);
};

}  // namespace tanggul::app
