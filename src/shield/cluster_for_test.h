#pragma once

// Several nodes in one process and in virtual time, which share leases and copies and reach each
// other over a network that a test can break.
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ports/shared_limits.h"
#include "shield/cluster.h"
#include "shield/local_cluster.h"
#include "shield/peer_endpoint.h"
#include "shield/pipeline_for_test.h"

namespace tanggul::shield {

// Says what a test tells it; by itself that nobody can be asked.
class ScriptedLimits final : public ports::SharedLimits {
 public:
  using Kind = ports::AttemptLeave::Kind;
  std::deque<ports::AttemptLeave> says;  // the last again and again
  std::vector<ports::AttemptEnd> ended;
  int asked = 0;
  async::WaiterPtr watching;

  Task<ports::AttemptLeave> ask(ports::AttemptAsk, ports::Patience&) override {
    ++asked;
    if (says.empty()) co_return ports::AttemptLeave{};
    const ports::AttemptLeave leave = says.front();
    if (says.size() > 1) says.pop_front();
    co_return leave;
  }
  void finish(ports::AttemptEnd end) override { ended.push_back(std::move(end)); }
  void watch_places(const std::string&, const async::WaiterPtr& waiter) override {
    watching = waiter;
  }
  void unwatch_places(const std::string&, const async::WaiterPtr&) override { watching.reset(); }
};

inline ports::AttemptLeave leave(ports::AttemptLeave::Kind kind, Duration wait = 0s) {
  ports::AttemptLeave l;
  l.kind = kind;
  l.wait = wait;
  return l;
}

// What is done to the store behind the nodes' backs.
struct Meddling {
  std::string published;              // the last copy's bytes
  std::optional<std::string> forged;  // stands in the place of every entry that is told of
};

// One node's way to the store, which a test can cut for ever: the node is dead to the others.
class CutLeases final : public ports::Leases {
 public:
  CutLeases(std::unique_ptr<ports::Leases> to, const bool& cut, const Meddling& meddling)
      : to_(std::move(to)), cut_(cut), meddling_(meddling) {}
  Task<ports::Acquired> acquire(ports::LeaseRequest r, ports::Patience& p) override {
    if (cut_) co_return ports::Acquired{};
    ports::Acquired acquired = co_await to_->acquire(std::move(r), p);
    if (meddling_.forged && acquired.copies.entry) acquired.copies.entry->bytes = *meddling_.forged;
    co_return acquired;
  }
  Task<Renewal> renew(std::string id, std::string token, Duration ttl,
                      ports::Patience& p) override {
    if (cut_) co_return Renewal::unavailable;
    const Renewal renewal = co_await to_->renew(std::move(id), std::move(token), ttl, p);
    co_return renewal;
  }
  void release(std::string id, std::string token) override {
    if (!cut_) to_->release(std::move(id), std::move(token));
  }
  void watch(const std::string& id, const async::WaiterPtr& w) override { to_->watch(id, w); }
  void unwatch(const std::string& id, const async::WaiterPtr& w) override { to_->unwatch(id, w); }

 private:
  const std::unique_ptr<ports::Leases> to_;
  const bool& cut_;
  const Meddling& meddling_;
};

class CutStore final : public ports::SharedStore {
 public:
  CutStore(std::unique_ptr<ports::SharedStore> to, const bool& cut, Meddling& meddling)
      : to_(std::move(to)), cut_(cut), meddling_(meddling) {}
  Task<Looked> look(std::string id, ports::Patience& p) override {
    if (cut_) co_return Looked{};
    Looked looked = co_await to_->look(std::move(id), p);
    co_return looked;
  }
  Task<Published> publish(ports::Publication what, ports::Patience& p) override {
    if (cut_) co_return Published::unavailable;
    meddling_.published = what.bytes;
    const Published published = co_await to_->publish(std::move(what), p);
    co_return published;
  }
  void add_holder(std::string id, std::uint64_t version, std::string address) override {
    if (!cut_) to_->add_holder(std::move(id), version, std::move(address));
  }
  void remove_holder(std::string id, std::string address) override {
    if (!cut_) to_->remove_holder(std::move(id), std::move(address));
  }

 private:
  const std::unique_ptr<ports::SharedStore> to_;
  const bool& cut_;
  Meddling& meddling_;
};

// Where a request for a node goes to that node's endpoint, and every other to the origin.
class Network final : public ports::Origin {
 public:
  explicit Network(FakeOrigin& origin, async::Executor executor)
      : origin_(origin), executor_(executor) {}

  std::map<std::string, PeerEndpoint*> nodes;
  std::map<std::string, bool> down;         // refuses, and breaks what it sends
  std::optional<std::size_t> breaks_after;  // bytes of a node's answer, once
  int asked = 0;                            // of nodes

  Task<ports::FetchEnd> fetch(const ports::OriginRequest& request, ports::ResponseSink& sink,
                              ports::Cancellation& cancel) override {
    if (!nodes.contains(request.base)) {
      ports::FetchEnd end = co_await origin_.fetch(request, sink, cancel);
      co_return end;
    }
    ++asked;
    ports::FetchEnd end;
    if (down[request.base]) {
      end.error = Errc::refused;
      co_return end;
    }
    end = co_await ask(*nodes[request.base], request, sink, cancel);
    co_return end;
  }

 private:
  Task<ports::FetchEnd> ask(PeerEndpoint& node, const ports::OriginRequest& request,
                            ports::ResponseSink& sink, ports::Cancellation& cancel) {
    ports::Call call;
    ports::Reply reply;
    call.head.method = request.method;
    call.head.target = request.target;
    for (const auto& h : request.headers) call.head.headers.push_back({h.name, h.value});
    call.waiter = async::Waiter::make(executor_);
    cancel.bind(call.waiter);
    ports::FetchEnd end;
    EXPECT_TRUE(node.admits(call));
    co_await node.answer(call, reply);
    http::ResponseHead head{reply.status, "", {}};
    std::optional<ByteCount> length = reply.stream ? reply.length : reply.body.size();
    read_lines(reply.head, head.headers);
    if (!sink.on_head(head, length ? ports::BodyFraming::length : ports::BodyFraming::chunked,
                      length)) {
      end.error = Errc::cancelled;
      co_return end;
    }
    if (!reply.body.empty()) sink.on_data(reply.body);
    std::size_t sent = 0;
    while (reply.stream) {
      const auto piece = co_await reply.stream->next(call.waiter);
      if (!piece || breaks_after.value_or(~0UL) <= sent || down[request.base]) {
        end.error = Errc::truncated;
        breaks_after.reset();
        break;
      }
      if (piece->size == 0) break;
      const std::string bytes = bytes_of(*piece);
      sent += bytes.size();
      if (!sink.on_data(bytes)) {
        end.error = Errc::cancelled;
        break;
      }
    }
    co_return end;
  }

  static void read_lines(std::string_view text, http::Headers& to) {
    text.remove_prefix(std::min(text.size(), text.find("\r\n") + 2));
    while (!text.empty()) {
      const auto line = text.substr(0, text.find("\r\n"));
      text.remove_prefix(std::min(text.size(), line.size() + 2));
      const auto colon = line.find(": ");
      if (line.starts_with("Content-Length")) continue;
      to.add(line.substr(0, colon), line.substr(colon + 2));
    }
  }

  FakeOrigin& origin_;
  async::Executor executor_;
};

class ClusterTest : public testing::Test {
 protected:
  struct Node {
    bool cut = false;  // from the store
    MetricSet metrics;
    std::unique_ptr<Shield> shield;
    std::unique_ptr<Cluster> cluster;
    std::unique_ptr<PeerEndpoint> endpoint;
    std::unique_ptr<ports::Leases> leases;
    std::unique_ptr<ports::SharedStore> store;
    std::unique_ptr<Pipeline> pipeline;
    std::uint64_t lost() { return cluster->leases_lost().value(); }
  };

  ClusterTest() {
    origin_config.name = "o";
    origin_config.mount = "/o/";
    origin_config.upstreams = {{"http://origin.test", "/base"}};
    origin_config.kind = registry::make_generic({});
    origin_config.key_patterns = origin_config.kind->patterns("o");
    origin_config.timeouts.first_byte = 60s;
    for (const char* name : {"a", "b", "c"}) add(name);
  }
  // As kill -9 would: nobody reaches it, and it reaches nothing.
  void kill(const std::string& name) {
    nodes[name]->cut = true;
    network.down["http://" + name + ".test"] = true;
  }
  ~ClusterTest() override {
    for (auto& [name, node] : nodes) node->cluster->end();
  }

  void add(const std::string& name) {
    auto node = std::make_unique<Node>();
    ShieldConfig config;
    config.spool_directory = std::filesystem::temp_directory_path().string();
    config.origins = {origin_config};
    node->shield = std::make_unique<Shield>(config, node->metrics);
    ClusterConfig cluster;
    cluster.node = name;
    cluster.advertise = "http://" + name + ".test";
    cluster.secret = "secret";
    node->cluster = std::make_unique<Cluster>(*node->shield, cluster, node->metrics);
    node->cluster->on_purges({"epoch", 0}, {}, true);
    node->cluster->on_reach(true, "");
    node->endpoint = std::make_unique<PeerEndpoint>(*node->shield, *node->cluster);
    node->leases = std::make_unique<CutLeases>(store.leases(), node->cut, meddling);
    node->store = std::make_unique<CutStore>(store.store(), node->cut, meddling);
    Outside outside(network);
    outside.leases = node->leases.get();
    outside.store = node->store.get();
    outside.limits = &limits;
    outside.cluster = node->cluster.get();
    node->pipeline = std::make_unique<Pipeline>(*node->shield, outside, io.get_executor());
    network.nodes[cluster.advertise] = node->endpoint.get();
    // What one node purges all hear of, as from a store.
    node->cluster->announce_by(
        {.purges =
             [this](std::vector<ports::SharedPurge> purges) {
               for (auto& purge : purges) purge.sequence = ++sequence;
               for (auto& [other, n] : nodes)
                 n->cluster->on_purges({"epoch", sequence}, purges, true);
             },
         .pauses_ended = [this](const std::string& o) { pauses_ended.push_back(o); }});
    nodes[name] = std::move(node);
  }

  Client& send(const std::string& node, std::string target,
               std::vector<std::pair<std::string, std::string>> lines = {}) {
    Client& c = clients.emplace_back();
    c.target = std::move(target);
    c.lines = std::move(lines);
    prepare(c, "127.0.0.1", io.get_executor());
    async::spawn(io.get_executor(), "client", play(*nodes[node]->pipeline, c));
    settle();
    return c;
  }
  void settle() { run_ready(io); }
  void pass(Duration d) { pass_time(d, clock, io); }
  // Long bodies are moved on a pool's thread, which virtual time does not wait for.
  void finish(const Client& c) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!c.done && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
      settle();
    }
    ASSERT_TRUE(c.done);
  }
  // The body that two nodes are being sent, of which the second loses its way in the middle.
  Client& break_in_the_middle(const Answer& whole) {
    origin.plays({whole});
    send("a", "/o/big");
    Client& other = send("b", "/o/big");
    pass(1s);
    EXPECT_GT(other.body.size(), 1'000'000U);
    network.breaks_after = 1'000'000;
    pass(60s);
    finish(other);
    return other;
  }
  int coalesced() const {
    int n = 0;
    for (const Client& c : clients) n += c.says("X-Cache-Coalesced: true") ? 1 : 0;
    return n;
  }

  VirtualClock clock;
  OriginConfig origin_config;
  LocalCluster store;
  ScriptedLimits limits;
  std::map<std::string, std::unique_ptr<Node>> nodes;
  asio::io_context io{1};
  std::deque<Client> clients;
  FakeOrigin origin{io.get_executor()};
  Network network{origin, io.get_executor()};
  std::uint64_t sequence = 0;
  std::vector<std::string> pauses_ended;
  Meddling meddling;
};

// More than goes into the store, so that it lies at a node.
inline std::string big_body() {
  std::string body(3'000'000, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 7 % 251);
  return body;
}

}  // namespace tanggul::shield
