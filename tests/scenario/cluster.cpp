#include "scenario/cluster.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/digest.h"

namespace tanggul::test {

Nodes::Nodes(const ScriptedOrigin& origin, const NodesSpec& spec) {
  for (std::size_t i = 0; i < kCount; ++i) {
    NodeStart start = spec.each(i);
    std::string cluster = "lease: 2s\ncluster: { redis: \"" + spec.redis + "\"";
    if (!start.advertise.empty()) cluster += ", advertise: \"" + start.advertise + "\"";
    cluster += ", secret: a-secret-of-three-nodes }\n" + spec.top;
    nodes_.push_back(std::make_unique<TanggulProcess>(generic_yaml(origin, spec.keys, cluster),
                                                      std::move(start.process),
                                                      TanggulProcess::Launcher(), start.place));
  }
  await_nodes(kCount);
}

bool Nodes::reach(std::size_t i, bool reachable) {
  const std::string wanted = reachable ? "ready\n" : "ready, degraded";
  const Network::Visit there = nodes_[i]->visit();
  return eventually(
      [&] { return get(nodes_[i]->admin_port(), "/readyz").body.starts_with(wanted); }, 20s);
}

bool Nodes::reach_all(bool reachable) {
  bool all = true;
  for (std::size_t i = 0; i < kCount; ++i) all = reach(i, reachable) && all;
  return all;
}

void Nodes::await_nodes(double n) {
  for (auto& node : nodes_)
    ASSERT_TRUE(eventually([&] { return node->metric("tanggul_cluster_nodes") == n; }, 20s));
}

std::vector<ClientResult> Nodes::herd(std::size_t each, const RequestSpec& spec) {
  std::vector<std::vector<ClientResult>> parts(nodes_.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    threads.emplace_back([&, i] {
      const Network::Visit there = nodes_[i]->visit();
      parts[i] = burst(nodes_[i]->port(), each, spec);
    });
  for (auto& t : threads) t.join();
  std::vector<ClientResult> all;
  for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(all));
  return all;
}

CommandResult Nodes::purge(std::size_t at, const std::string& target) {
  const Network::Visit there = nodes_[at]->visit();
  return run_command(
      {.args = {tanggul_binary(), "purge", "--admin", nodes_[at]->admin_url(), target}});
}

void Nodes::expect_calm_ones() {
  for (auto& node : nodes_) EXPECT_EQ(node->metric("tanggul_uncaught_total"), 0);
}

Caller::Caller(const TanggulProcess& node, RequestSpec spec) {
  thread_ = std::thread([this, &node, spec = std::move(spec)] {
    const Network::Visit there = node.visit();
    result_ = send_request(node.port(), spec);
  });
}

RequestSpec asking(std::string target) {
  RequestSpec spec;
  spec.target = std::move(target);
  spec.keep_body = false;
  return spec;
}

std::string digest_of(std::uint64_t size) {
  return to_hex(Digest::of(DigestKind::sha256, generated_bytes(0, size)));
}

Script paced(std::uint64_t size, std::uint64_t rate, std::string etag) {
  Script s = body_of(size);
  s.bytes_per_second = rate;
  s.etag = std::move(etag);
  return s;
}

Script saying(std::string body) {
  Script s = body_of(0);
  s.body = std::move(body);
  return s;
}

void expect_whole(const ClientResult& r, std::uint64_t size) {
  EXPECT_EQ(r.status, 200);
  EXPECT_TRUE(r.complete) << r.error;
  EXPECT_EQ(r.body_sha256, digest_of(size));
}

}  // namespace tanggul::test
