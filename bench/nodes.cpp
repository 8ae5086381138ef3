#include "nodes.h"

#include <stdexcept>

#include "compare.h"
#include "cpu.h"
#include "support/eventually.h"

namespace tanggul::bench {

Nodes::Nodes(const test::ScriptedOrigin& origin, const Lines& lines) {
  {
    const OnServerCpu here;
    redis_ = std::make_unique<test::RedisServer>();
  }
  const std::string cluster = "cluster: { redis: \"" + redis_->url() +
                              "\", secret: a-secret-of-three-nodes" + lines.cluster + " }\n";
  for (std::size_t i = 0; i < kNodes; ++i)
    nodes_.push_back(std::make_unique<Tanggul>(origin, lines.origin, cluster));
  await_cluster();
}

std::vector<test::ClientResult> Nodes::ask(std::size_t callers, const std::string& target) const {
  return ask(callers, [&](std::size_t) {
    test::RequestSpec spec;
    spec.target = target;
    spec.keep_body = false;
    return spec;
  });
}

std::vector<test::ClientResult> Nodes::ask(
    std::size_t callers, const std::function<test::RequestSpec(std::size_t)>& each) const {
  return test::burst(port(0), callers, [&](std::size_t i) {
    test::RequestSpec spec = each(i);
    spec.port = port(i);
    return spec;
  });
}

bool Nodes::in_cluster() const {
  for (const auto& node : nodes_)
    if (node->metric("tanggul_redis_up") != 1 || node->metric("tanggul_cluster_nodes") < 1)
      return false;
  return true;
}

void Nodes::await_cluster() const {
  const bool met = test::eventually(
      [&] {
        for (const auto& node : nodes_)
          if (node->metric("tanggul_cluster_nodes") != kNodes) return false;
        return in_cluster();
      },
      20s);
  if (!met) throw std::runtime_error("the nodes have not found each other");
}

Table cluster_table() {
  return {.title = "Three nodes on one Redis",
          .note =
              "Three processes, a redis-server and the origin on one machine: nodes and Redis on "
              "one CPU, clients and origin on the other. Each run begins with fresh ones. Times "
              "are medians of the runs, counts the worst run.",
          .columns = {"measured", "must", "tanggul", "met"},
          .rows = {}};
}

}  // namespace tanggul::bench
