#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/redis/redis_cluster.h"
#include "app/config/environment.h"
#include "app/config/sync_config.h"
#include "app/config/units.h"
#include "app/config/url.h"
#include "http/path_template.h"
#include "registry/generic.h"
#include "registry/sql/inferred.h"
#include "registry/sql/parameter.h"
#include "shield/config.h"

namespace tanggul::app {

enum class AccessLog { text, json, off };
enum class HalfClose { serve, leave };  // what the end of a client's sending means
enum class CacheSync { none, data };    // whether a stored body is synced to disk first
enum class Scope { local, cluster };    // the same on a single node

struct ClientLimits {
  Duration header = 10s;  // for a whole request head
  Duration idle = 60s;    // between two requests
  Duration stall = 60s;   // without the client taking a byte
  std::size_t connections = 20000;
  HalfClose half_close = HalfClose::leave;
};

// Absent: this node is alone.
struct ClusterSettings {
  std::string redis;  // as written; empty: absent
  redis::RedisAddress address;
  std::string node;       // a name of this node's own; by default what it advertises
  std::string advertise;  // the URL under which the other nodes reach this one
  std::string ca;         // a PEM file: whom the others' certificates are from
  std::string secret_env, secret;
  std::string prefix = "tanggul";  // of all keys in Redis
  ByteCount memory = 256_MiB;      // of the copies that all nodes keep there

  bool operator==(const ClusterSettings& o) const {
    return redis == o.redis && node == o.node && advertise == o.advertise && secret == o.secret &&
           ca == o.ca && prefix == o.prefix && memory == o.memory;
  }
};

// Of the server towards clients; both empty: plain HTTP.
struct ServerTls {
  std::string cert, key;  // PEM files
};

enum class SqlEngine { postgres, sqlite };

// What kind sql has of its own.
struct SqlSettings {
  std::string database;  // as written; empty: absent
  SqlEngine engine = SqlEngine::postgres;
  std::string file;   // of sqlite
  std::string mount;  // as written; empty: /NAME/{id}
  std::string query;
  bool many = false;                                 // rows: many
  std::vector<registry::sql::Parameter> parameters;  // as written; once complete, $1, $2, …
  int pool = 8;
  std::string notify;  // a channel; empty: none
  // Once complete: of the mount; and what the database will say of the parameters.
  std::optional<http::PathTemplate> path;
  std::shared_ptr<registry::sql::Inferred> inferred;
};

// What the file says of an origin beside shield::OriginConfig.
struct OriginSettings {
  std::string kind;
  std::string header_env;   // auth: service; empty: passthrough, or the upstream's userinfo
  std::string key_pattern;  // empty: the kind's own
  registry::GenericKey key;
  // The keys that the file sets, of those whose defaults depend on others: "retry.attempts".
  std::set<std::string, std::less<>> sets;
  SqlSettings sql;  // of kind sql
  Rate rate;        // of limit.rate, as written; 0: off
  Scope breaker_scope = Scope::cluster, limit_scope = Scope::cluster;
};

// The configuration, complete and consistent: nothing here needs another look.
struct Config {
  std::string listen = "127.0.0.1:8080", admin = "127.0.0.1:8081";
  std::string admin_token_env, once_token_env;
  std::string data_dir;
  unsigned threads = 1;  // the machine's cores where the file names none
  AccessLog access_log = AccessLog::text;
  CacheSync cache_sync = CacheSync::none;
  std::string public_url;                    // without a slash at its end; empty: what clients use
  std::vector<std::string> trusted_proxies;  // addresses or networks: 10.0.0.0/8
  ClientLimits client;
  ServerTls tls;
  Duration shutdown = 30s;
  ClusterSettings cluster;
  SyncSettings sync;
  shield::ShieldConfig shield;
  std::vector<OriginSettings> settings;  // one for each of shield.origins
  bool names_origins = false;            // false: to be discovered
  bool demo = false;                     // the table of demo_file() is to be made
  std::vector<std::string> warnings;
};

// What the command line says, which wins over the file.
struct Overrides {
  std::optional<std::string> listen, admin, data_dir;
  std::optional<std::string> npm;  // the upstream of the one origin, where the file names none
};

struct LoadedConfig {
  std::optional<Config> config;     // absent: there are errors
  std::vector<std::string> errors;  // "file:line:column: key: what is wrong; what would be right"
};

// Reads the configuration once more, and looks at the files that it names. Any thread.
using ConfigLoader = std::function<LoadedConfig()>;

// Both tell every error at once. A file of more than 1 MiB is refused.
LoadedConfig load_config(const std::string& path, const Overrides& overrides,
                         const Environment& environment);
LoadedConfig parse_config(const std::string& text, const std::string& file_name,
                          const Overrides& overrides, const Environment& environment);

// As YAML with every default written out, credentials masked. Reading it gives the same again,
// apart from what is masked.
std::string effective_yaml(const Config& config);

OwnAddresses own_addresses(const Config& config);

// What `serve --demo` serves: one origin, a table of products in a file of its own.
std::string demo_file(const std::string& data_dir);
std::string demo_yaml(const std::string& data_dir);

}  // namespace tanggul::app
