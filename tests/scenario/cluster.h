#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "scenario/scenario.h"
#include "support/redis_server.h"

namespace tanggul::test {

// What a node has of its own.
struct NodeStart {
  ProcessSpec process;
  TanggulProcess::Place place;
  std::string advertise;  // empty: where it listens
};

struct NodesSpec {
  std::string redis;      // its URL
  std::string keys, top;  // further YAML: of the origin, of all
  std::function<NodeStart(std::size_t)> each = [](std::size_t) { return NodeStart(); };
};

// Three nodes of one cluster, each with a data directory of its own, before one origin, whose
// leases are for two seconds. The constructor comes back when they know of each other.
class Nodes {
 public:
  static constexpr std::size_t kCount = 3;
  Nodes(const ScriptedOrigin& origin, const NodesSpec& spec);

  TanggulProcess& operator[](std::size_t i) { return *nodes_[i]; }

  // Whether each comes to say, or one, that it is in the cluster, or that it is alone.
  bool reach(std::size_t i, bool reachable);
  bool reach_all(bool reachable);
  void await_nodes(double n);

  // So many callers on each node at once.
  std::vector<ClientResult> herd(std::size_t each, const RequestSpec& spec);
  CommandResult purge(std::size_t at, const std::string& target);
  void expect_calm_ones();

 private:
  std::vector<std::unique_ptr<TanggulProcess>> nodes_;
};

struct OwnRedis {
  RedisServer redis;
};

// The same on a Redis of their own.
class Cluster : public OwnRedis, public Nodes {
 public:
  explicit Cluster(const ScriptedOrigin& origin, std::string keys = "", std::string top = "")
      : Nodes(origin, {.redis = redis.url(), .keys = std::move(keys), .top = std::move(top)}) {}
};

// One caller, who waits for his answer on a thread of his own. To be asked for it by `answer`.
class Caller {
 public:
  Caller(const TanggulProcess& node, RequestSpec spec);
  ~Caller() { join(); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  const ClientResult& answer() {
    join();
    return result_;
  }

 private:
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  ClientResult result_;
  std::thread thread_;
};

RequestSpec asking(std::string target);  // its body is not kept
std::string digest_of(std::uint64_t size);
Script paced(std::uint64_t size, std::uint64_t rate, std::string etag = "");
Script saying(std::string body);
void expect_whole(const ClientResult& r, std::uint64_t size);

}  // namespace tanggul::test
