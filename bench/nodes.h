#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "subject.h"
#include "support/http_client.h"
#include "support/redis_server.h"
#include "table.h"

namespace tanggul::bench {

// Three of our nodes on one real redis-server before one origin, each with a data directory of its
// own, all on the server's CPU.
class Nodes {
 public:
  static constexpr std::size_t kNodes = 3;
  struct Lines {
    std::string origin;   // of the origin, indented by four spaces
    std::string cluster;  // further members of `cluster: { … }`, each with a comma before it
  };
  // Comes back once each knows of all.
  explicit Nodes(const test::ScriptedOrigin& origin, const Lines& lines = {});

  Tanggul& operator[](std::size_t i) { return *nodes_[i]; }
  test::RedisServer& redis() { return *redis_; }
  std::uint16_t port(std::size_t i) const { return nodes_[i % kNodes]->port(); }

  // All of them ask at once, the i-th of the node i modulo 3.
  std::vector<test::ClientResult> ask(std::size_t callers, const std::string& target) const;
  std::vector<test::ClientResult> ask(
      std::size_t callers, const std::function<test::RequestSpec(std::size_t)>& each) const;

  bool in_cluster() const;  // all of them reach Redis
  void await_cluster() const;
  void kill(std::size_t i) { nodes_[i]->kill9(); }

 private:
  std::unique_ptr<test::RedisServer> redis_;
  std::vector<std::unique_ptr<Tanggul>> nodes_;
};

// What must hold of them, without peers: none of those has a cluster.
Table cluster_table();

}  // namespace tanggul::bench
