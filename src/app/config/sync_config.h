#pragma once

#include <string>
#include <vector>

#include "app/config/section.h"
#include "sync/pool.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {

// Where the fleet keeps something: in a file of its own, or on a server.
struct Store {
  enum class Engine { sqlite, postgres };
  Engine engine = Engine::sqlite;
  std::string text;  // as written
  std::string file;  // of sqlite; empty: the one in the data directory
};

// The section `sync`.
struct SyncSettings {
  std::string listen = "127.0.0.1:9101";  // of slot 0
  Store queue{.text = "sqlite:"}, catalog{.text = "sqlite:"};
  // Hosts, or HOST:PORT, that may be reached by http and at addresses of this machine and its
  // neighbourhood.
  std::vector<std::string> internal_hosts;
  Duration lease = 60s;  // of a claim, renewed while the job runs
  int attempts = 5;      // failures of its own that a job is allowed
  std::vector<sync::Pool> pools = sync::default_pools();

  const sync::Pool* find(std::string_view pool) const;
};

void read_sync(Section& top, SyncSettings& out);

}  // namespace tanggul::app
