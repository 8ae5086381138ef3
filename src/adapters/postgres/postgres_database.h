#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "async/task.h"
#include "ports/database.h"
#include "registry/sql/query.h"
#include "tanggul/base/clock.h"

namespace tanggul::postgres {

struct DatabaseConfig {
  registry::sql::Query query;
  std::string address;      // postgres://user:password@host:port/name?…, as libpq takes it
  std::size_t pool = 8;     // connections at most
  Duration connect = 2s;    // for opening one
  Duration statement = 3s;  // the server ends a query by itself after this
};

// A pool of connections in read-only sessions, on `executor`; the first is opened by the first
// query. A query is cancelled at the server when its deadline passes or nobody wants it any more,
// and its connection is free again once the server has said so. What fetch() ends with, beside an
// answer: refused and connect_timeout (no connection), reset (it broke under the query),
// stale_connection (it had died before), first_byte_timeout, limit (none was free in time),
// cancelled.
std::shared_ptr<ports::Database> make_database(async::Executor executor, DatabaseConfig config);

// Listens on a channel (LISTEN) with a connection of its own, which is opened again whenever it
// breaks; until the executor ends or the returned handle goes. `told` is called on the executor:
// with each notification's payload, and with nullopt each time it begins to listen, as what was
// told before that nobody has heard.
class Listener {
 public:
  virtual ~Listener() = default;
};
struct ListenConfig {
  std::string origin;
  std::string address;
  std::string channel;
  Duration connect = 2s;
  Duration check = 30s;  // how often the connection is asked whether it lives
};
std::unique_ptr<Listener> listen(async::Executor executor, ListenConfig config,
                                 std::function<void(std::optional<std::string_view> payload)> told);

}  // namespace tanggul::postgres
