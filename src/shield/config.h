#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "ports/origin.h"
#include "registry/kind.h"
#include "tanggul/base/clock.h"
#include "tanggul/policy/backoff.h"
#include "tanggul/policy/breaker.h"
#include "tanggul/policy/freshness.h"
#include "tanggul/policy/negative.h"

namespace tanggul::shield {

struct LimitConfig {
  int concurrency = 32;
  bool adaptive = false;
  double rate = 0;  // a second; 0: off
  double burst = 1;
  std::uint64_t daily = 0;  // 0: off
  std::size_t queue = 1000;
  Duration queue_wait = 5s;
};

// What to do with requests while the breaker is open.
struct HoldConfig {
  bool by_default = false;  // when_open: hold; a request may ask for it by Prefer: wait=N
  Duration most = 30s;
  std::size_t max = 10'000;  // requests of one origin
};

struct UpstreamUrl {
  std::string base;  // scheme://host[:port]
  std::string path;  // the path below which everything lies, without a slash at its end

  bool operator==(const UpstreamUrl&) const = default;
};

// One origin as configured. The defaults are those of the contract.
struct OriginConfig {
  std::string name;
  std::string mount;  // begins and ends with '/'
  // Where the mount is only the beginning of a template: the whole, and the same without names.
  std::string mount_template, mount_shape;
  std::vector<UpstreamUrl> upstreams;
  std::shared_ptr<const registry::Kind> kind;
  std::vector<std::string> key_patterns;  // one for each of the kind's
  std::string service_auth;               // the Authorization of our own; empty: passthrough
  policy::FreshnessConfig freshness;
  policy::NegativeConfig negative;
  double early_refresh_beta = 1.0;
  Duration deadline = 60s;
  // The deadline ends the fetch as well, and its callers wait this much longer for it to say so;
  // absent: a fetch goes on after its callers' time.
  std::optional<Duration> deadline_ends_fetch;
  ports::OriginTimeouts timeouts;
  ports::OriginTls tls;
  bool http2 = false;
  // A shared fetch carries all of its starter's headers but those that tell who it is: see
  // request_headers.h.
  bool all_request_headers = false;
  std::vector<std::string> targeted;  // fields that stand for Cache-Control (RFC 9213), in order
  policy::BackoffConfig retry;
  double retry_budget = 0.2;
  policy::BreakerConfig breaker;
  HoldConfig hold;
  LimitConfig limit;
  bool breaker_shared = true, limit_shared = true;  // by all nodes of a cluster, if there is one
  std::string probe;  // path below the upstream that tells whether it serves; empty: the kind's
  ByteCount max_object = 10_GiB;
  ByteCount range_passthrough = 256_MiB;  // for a range of more than this no whole is fetched
  ByteCount max_body = 1_GiB;

  // The mount as the configuration writes it.
  const std::string& written_mount() const {
    return mount_template.empty() ? mount : mount_template;
  }
};

struct ShieldConfig {
  std::vector<OriginConfig> origins;
  ByteCount memory = 256_MiB;
  ByteCount disk = 10_GiB;
  std::size_t files = 100'000;  // of the cache that are kept open
  bool sync = false;            // files of the cache: on the disk before they are found
  std::string spool_directory;  // of bodies on their way, in files without a name
  std::string cache_directory;  // of the disk tier, on the same file system; empty: none
  std::string public_url;       // empty: what the client used
  std::string own_url;          // of our own address: for clients beyond those that are kept apart
  Duration lease_ttl =
      30s;  // what a node or a client holds for all is free this long after it dies
  ByteCount once_max_object = 10_GiB;
};

}  // namespace tanggul::shield
