#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "async/task.h"
#include "base/bytes.h"
#include "base/metrics.h"
#include "base/result.h"
#include "ports/leases.h"
#include "ports/membership.h"
#include "ports/shared_limits.h"
#include "ports/shared_store.h"

namespace tanggul::redis {

// Where Redis is, read from one URL:
//
//   redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]
//   redis-sentinel://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]…]/MASTER[/DATABASE]
struct RedisAddress {
  struct Host {
    std::string name;  // an IPv6 address without brackets
    std::string port;
  };
  std::vector<Host> hosts;  // one, or the sentinels
  std::string master;       // of sentinels; empty: none
  std::string user, password;
  int database = 0;

  // nullopt: `error` says what is wrong and what would be right.
  static std::optional<RedisAddress> parse(std::string_view url, std::string& error);
};

struct RedisConfig {
  RedisAddress address;
  std::string prefix = "tanggul";  // of all keys and channels
  std::string node;                // this node's name, unique in the cluster
  ByteCount memory = 256_MiB;      // of all copies of the cluster together
};

// The ports of one thread.
struct RedisLane {
  std::unique_ptr<ports::Leases> leases;
  std::unique_ptr<ports::SharedStore> store;
  std::unique_ptr<ports::SharedLimits> limits;
};

// A node's connections to Redis: one a lane, pipelined, and two of the member's. Thread-safe.
// Nothing in it waits for Redis at construction: a node starts without it and takes it up when it
// comes. Outlives its lanes, and what it was given outlives it.
class RedisCluster {
 public:
  static std::unique_ptr<RedisCluster> make(RedisConfig config, MetricSet& metrics);
  virtual ~RedisCluster() = default;

  // To be called for each thread before its loop runs; the lane is that thread's.
  virtual RedisLane lane(async::Executor executor) = 0;
  // Joins the others, on `executor`, until close().
  virtual std::unique_ptr<ports::Membership> join(async::Executor executor,
                                                  ports::MembershipListener& listener) = 0;
  // Leaves the cluster, ends all tasks and lets go of all waiters. On the thread of each executor
  // its loop must still run for a moment, and none may have ended before.
  virtual void close() = 0;
};

}  // namespace tanggul::redis
