// Several nodes in one process and in virtual time, which share leases and copies and reach each
// other over a network that a test can break.
#include <thread>

#include "ports/shared_limits.h"
#include "shield/cluster.h"
#include "shield/local_cluster.h"
#include "shield/peer_endpoint.h"
#include "shield/pipeline_for_test.h"
#include "shield/purge.h"

namespace tanggul::shield {
namespace {

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

ports::AttemptLeave leave(ports::AttemptLeave::Kind kind, Duration wait = 0s) {
  ports::AttemptLeave l;
  l.kind = kind;
  l.wait = wait;
  return l;
}

// One node's way to the store, which a test can cut for ever: the node is dead to the others.
class CutLeases final : public ports::Leases {
 public:
  CutLeases(std::unique_ptr<ports::Leases> to, const bool& cut) : to_(std::move(to)), cut_(cut) {}
  Task<ports::Acquired> acquire(ports::LeaseRequest r, ports::Patience& p) override {
    if (cut_) co_return ports::Acquired{};
    ports::Acquired acquired = co_await to_->acquire(std::move(r), p);
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
};

class CutStore final : public ports::SharedStore {
 public:
  CutStore(std::unique_ptr<ports::SharedStore> to, const bool& cut)
      : to_(std::move(to)), cut_(cut) {}
  Task<Looked> look(std::string id, ports::Patience& p) override {
    if (cut_) co_return Looked{};
    Looked looked = co_await to_->look(std::move(id), p);
    co_return looked;
  }
  Task<Published> publish(ports::Publication what, ports::Patience& p) override {
    if (cut_) co_return Published::unavailable;
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
    node->leases = std::make_unique<CutLeases>(store.leases(), node->cut);
    node->store = std::make_unique<CutStore>(store.store(), node->cut);
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
  void settle() {
    io.restart();
    io.poll();
  }
  void pass(Duration d) {
    for (const MonoTime end = clock.now().mono + d; clock.now().mono < end;) {
      clock.advance(std::min<Duration>(10ms, end - clock.now().mono));
      settle();
    }
  }
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
};

std::string big_body() {
  std::string body(3'000'000, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 7 % 251);
  return body;
}

TEST_F(ClusterTest, OneFetchServesAllWhoWaitOnAllNodes) {
  Answer slow = page("hello");
  slow.takes = 1s;
  origin.plays({slow});
  for (int i = 0; i < 20; ++i)
    for (const char* node : {"a", "b", "c"}) send(node, "/o/a");
  pass(2s);
  EXPECT_EQ(origin.seen.size(), 1U);
  for (const Client& c : clients) {
    ASSERT_TRUE(c.done);
    EXPECT_EQ(c.body, "hello");
  }
  EXPECT_EQ(coalesced(), 59);
  for (const char* node : {"a", "b", "c"}) {
    EXPECT_TRUE(send(node, "/o/a").says("Cache-Status: tanggul; hit")) << node;
    EXPECT_EQ(nodes[node]->shield->flights().size(), 0U);
  }
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, AFollowerSaysThatItHasFollowed) {
  Answer slow = page("hello");
  slow.takes = 1s;
  origin.plays({slow});
  send("a", "/o/a");
  Client& other = send("b", "/o/a");
  pass(2s);
  EXPECT_TRUE(other.says("detail=lease-follow")) << other.head;
}

TEST_F(ClusterTest, ABodyReachesTheOtherNodesWhileItArrives) {
  Answer slow = page(big_body());
  slow.pause_in_body = 5s;
  origin.plays({slow});
  Client& first = send("a", "/o/big");
  Client& other = send("b", "/o/big");
  pass(1s);
  EXPECT_FALSE(other.done);
  EXPECT_FALSE(other.head.empty());
  EXPECT_GE(other.body.size(), 1'499'990U);
  pass(5s);
  finish(other);
  finish(first);
  EXPECT_EQ(other.body.size(), slow.body.size());
  EXPECT_EQ(first.body.size(), slow.body.size());
  EXPECT_TRUE(other.whole);
  EXPECT_TRUE(other.body == slow.body);
  EXPECT_TRUE(first.body == slow.body);
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, WhatLandedBetweenAMissAndTheTakeOffIsNotFetchedAgain) {
  origin.plays({page("once")});
  send("a", "/o/a");
  pass(1s);
  // The look finds nothing, as if it had been taken before the landing; the lease finds the copy.
  nodes["b"]->cluster->on_reach(false, "for the look");
  EXPECT_EQ(send("b", "/o/a").body, "once");
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, AColdNodeServesWhatAnotherHasStored) {
  origin.plays({page("once")});
  send("a", "/o/a");
  Client& cold = send("b", "/o/a");
  EXPECT_EQ(cold.body, "once");
  EXPECT_TRUE(cold.says("Cache-Status: tanggul; hit")) << cold.head;
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, AColdNodeServesStaleAndOneNodeRenewsIt) {
  origin.plays({page("one", headers({{"Cache-Control", "max-age=5, stale-while-revalidate=30"}})),
                page("two", headers({{"Cache-Control", "max-age=60"}}))});
  send("a", "/o/a");
  pass(7s);
  Client& cold = send("b", "/o/a");
  EXPECT_EQ(cold.body, "one");
  EXPECT_TRUE(cold.says("detail=stale-while-revalidate")) << cold.head;
  send("a", "/o/a");
  pass(1s);
  EXPECT_EQ(origin.seen.size(), 2U);
  for (const char* node : {"a", "b", "c"}) EXPECT_EQ(send(node, "/o/a").body, "two") << node;
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, TheLifetimeIsDrawnOnceByTheNodeThatStored) {
  origin.plays({page("once", headers({{"Cache-Control", "max-age=600"}}))});
  send("a", "/o/a");
  const auto key = std::string("o\x1f") + "/a";
  send("b", "/o/a");
  const auto at_a = nodes["a"]->shield->find(key), at_b = nodes["b"]->shield->find(key);
  ASSERT_TRUE(at_a && at_b);
  EXPECT_EQ(at_a->times.expires, at_b->times.expires);
  EXPECT_EQ(at_a->times.cost, at_b->times.cost);
}

TEST_F(ClusterTest, AFailureIsEverybodys) {
  Answer bad = broken(503);
  bad.takes = 500ms;
  origin.plays({bad});
  send("a", "/o/a");
  send("b", "/o/a");
  pass(10s);
  EXPECT_EQ(origin.seen.size(), 3U);
  for (const Client& c : clients) EXPECT_TRUE(c.says("HTTP/1.1 503")) << c.head;
  EXPECT_TRUE(send("c", "/o/a").says("detail=negative"));
  EXPECT_EQ(origin.seen.size(), 3U);
}

TEST_F(ClusterTest, ANotFoundIsRememberedByAll) {
  Answer gone = broken(404, headers({{"Cache-Control", "max-age=60"}}));
  origin.plays({gone});
  send("a", "/o/a");
  EXPECT_TRUE(send("b", "/o/a").says("HTTP/1.1 404"));
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, ALongBodyComesFromTheNeighbourThatHasIt) {
  const std::string body = big_body();
  origin.plays({page(body)});
  finish(send("a", "/o/big"));
  Client& other = send("b", "/o/big");
  finish(other);
  EXPECT_TRUE(other.whole);
  EXPECT_TRUE(other.body == body);
  EXPECT_EQ(origin.seen.size(), 1U);
  // And from there it goes on when the first is gone.
  network.down["http://a.test"] = true;
  Client& third = send("c", "/o/big");
  finish(third);
  EXPECT_TRUE(third.body == body);
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, WhenNoNeighbourHasTheBodyAnyMoreTheOriginIsAsked) {
  origin.plays({page(big_body())});
  finish(send("a", "/o/big"));
  nodes["a"]->shield->erase(std::string("o\x1f") + "/big");
  Client& other = send("b", "/o/big");
  finish(other);
  EXPECT_TRUE(other.whole);
  EXPECT_EQ(other.body.size(), big_body().size());
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, ADeadHolderIsTakenOverFromWithOneMoreFetch) {
  Answer never = page("of the dead");
  never.takes = 1h;
  origin.plays({never, page("again")});
  send("a", "/o/a");
  kill("a");
  Client& b = send("b", "/o/a");
  Client& c = send("c", "/o/a");
  pass(28s);
  EXPECT_FALSE(b.done || c.done);
  EXPECT_EQ(origin.seen.size(), 1U);
  pass(5s);  // its lease was of 30 s
  EXPECT_EQ(b.body, "again");
  EXPECT_EQ(c.body, "again");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, AHalfSentBodyGoesOnUnderTheSameStrongTag) {
  Answer whole = page(big_body(), headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}));
  whole.pause_in_body = 3s;
  const Client& other = break_in_the_middle(whole);
  EXPECT_TRUE(other.whole);
  EXPECT_TRUE(other.body == whole.body);
  EXPECT_LE(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, AHalfSentBodyIsCutWhereNothingProvesTheRestToBeTheSame) {
  Answer whole = page(big_body());
  whole.pause_in_body = 3s;
  EXPECT_FALSE(break_in_the_middle(whole).whole);
}

TEST_F(ClusterTest, AVariantThatAnotherNodeFetchesIsNotTakenForOnesOwn) {
  Answer german =
      page("hallo", headers({{"Cache-Control", "max-age=60"}, {"Vary", "Accept-Language"}}));
  german.takes = 1s;
  Answer english = german;
  english.body = "hello";
  origin.plays({german, english});
  Client& de = send("a", "/o/a", {{"Accept-Language", "de"}});
  Client& en = send("b", "/o/a", {{"Accept-Language", "en"}});
  pass(5s);
  EXPECT_EQ(de.body, "hallo");
  EXPECT_EQ(en.body, "hello");
  EXPECT_EQ(origin.seen.size(), 2U);
  EXPECT_EQ(send("c", "/o/a", {{"Accept-Language", "de"}}).body, "hallo");
  EXPECT_EQ(send("c", "/o/a", {{"Accept-Language", "en"}}).body, "hello");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, WhatIsPrivateIsNobodyElses) {
  Answer own = page("mine", headers({{"Cache-Control", "private"}}));
  own.takes = 1s;
  origin.plays({own});
  send("a", "/o/a");
  Client& other = send("b", "/o/a");
  pass(3s);
  EXPECT_EQ(other.body, "mine");
  EXPECT_EQ(origin.seen.size(), 2U);  // each its own
  EXPECT_FALSE(other.says("X-Cache-Coalesced"));
}

TEST_F(ClusterTest, APurgeHoldsOnAllNodes) {
  origin.plays({page("one"), page("two")});
  send("a", "/o/a");
  send("b", "/o/a");
  const std::string key = std::string("o\x1f") + "/a";
  nodes["a"]->shield->note_purge(cache::Purges::Rule::target, key);
  EXPECT_EQ(nodes["b"]->shield->find(key), nullptr);
  // Not from the copy either, which is older than the purge.
  EXPECT_EQ(send("c", "/o/a").body, "two");
  EXPECT_EQ(send("b", "/o/a").body, "two");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, WhatWasAskedForBeforeAPurgeIsNotStoredAnywhere) {
  Answer slow = page("old");
  slow.takes = 1s;
  origin.plays({slow, page("new")});
  Client& first = send("a", "/o/a");
  nodes["b"]->shield->note_purge(cache::Purges::Rule::target, std::string("o\x1f") + "/a");
  pass(2s);
  EXPECT_EQ(first.body, "old");
  for (const char* node : {"a", "b", "c"}) EXPECT_EQ(send(node, "/o/a").body, "new") << node;
}

TEST_F(ClusterTest, WithoutTheStoreEachNodeFetchesForItself) {
  store.simulate_outage(true);
  origin.plays({page("own")});
  for (const char* node : {"a", "b", "c"}) EXPECT_EQ(send(node, "/o/a").body, "own");
  EXPECT_EQ(origin.seen.size(), 3U);
  store.simulate_outage(false);
  EXPECT_EQ(send("a", "/o/b").body, "own");
  EXPECT_EQ(send("b", "/o/b").body, "own");
  EXPECT_EQ(origin.seen.size(), 4U);
}

TEST_F(ClusterTest, AHolderWhoseLeaseRanOutPublishesNothing) {
  Answer slow = page("late");
  slow.takes = 45s;
  origin.plays({slow, page("newer")});
  Client& late = send("a", "/o/a", {{"Prefer", "wait=100"}});
  kill("a");  // stopped: nothing of it is heard …
  pass(31s);
  EXPECT_EQ(send("b", "/o/a").body, "newer");
  nodes["a"]->cut = false;  // … until it goes on
  network.down.clear();
  pass(20s);
  EXPECT_EQ(late.body, "late");  // its own caller gets what was fetched for it
  EXPECT_EQ(nodes["a"]->lost(), 1U);
  EXPECT_EQ(send("a", "/o/a").body, "newer");
  EXPECT_EQ(send("c", "/o/a").body, "newer");
  EXPECT_EQ(origin.seen.size(), 2U);
}

// --- the limits of all ---

TEST_F(ClusterTest, AnAttemptIsCountedOnceHoweverItEnds) {
  limits.says = {leave(ScriptedLimits::Kind::go)};
  origin.plays({page("ok"), broken(404)});
  EXPECT_EQ(send("a", "/o/a").body, "ok");
  send("a", "/o/b");
  ASSERT_EQ(limits.ended.size(), 2U);
  for (const auto& end : limits.ended) EXPECT_EQ(end.sample, ports::AttemptSample::success);
}

TEST_F(ClusterTest, AFailureOfTheOriginIsTheClustersToCount) {
  limits.says = {leave(ScriptedLimits::Kind::go)};
  origin.plays({broken(503)});
  send("a", "/o/a");
  pass(5s);
  ASSERT_EQ(limits.ended.size(), 3U);  // with its retries
  for (const auto& end : limits.ended) EXPECT_EQ(end.sample, ports::AttemptSample::failure);
}

TEST_F(ClusterTest, WaitsForTheRateThatTheClusterNames) {
  limits.says = {leave(ScriptedLimits::Kind::go, 2s)};
  Client& c = send("a", "/o/a");
  pass(1900ms);
  EXPECT_TRUE(origin.seen.empty());
  pass(200ms);
  EXPECT_TRUE(c.done);
}

TEST_F(ClusterTest, WhereAllPlacesAreTakenItAsksAgainWhenOneComesFree) {
  limits.says = {leave(ScriptedLimits::Kind::full), leave(ScriptedLimits::Kind::full),
                 leave(ScriptedLimits::Kind::go)};
  Client& c = send("a", "/o/a");
  EXPECT_TRUE(origin.seen.empty());
  ASSERT_TRUE(limits.watching);
  limits.watching->wake();
  settle();
  EXPECT_TRUE(c.done);
  EXPECT_EQ(limits.asked, 3);
  EXPECT_FALSE(limits.watching);
}

TEST_F(ClusterTest, WhereNoPlaceComesFreeItSaysSoInTime) {
  limits.says = {leave(ScriptedLimits::Kind::full)};
  Client& c = send("a", "/o/a");
  pass(4s);
  EXPECT_FALSE(c.done);
  pass(3s);  // queue_wait is 5 s
  EXPECT_TRUE(c.says("HTTP/1.1 503")) << c.head;
  EXPECT_TRUE(c.says("detail=limit"));
  EXPECT_TRUE(origin.seen.empty());
}

TEST_F(ClusterTest, ADayThatIsUsedUpIsToldWithTheTimeThatItHasLeft) {
  limits.says = {leave(ScriptedLimits::Kind::used_up, 2h)};
  Client& c = send("a", "/o/a");
  EXPECT_TRUE(c.says("HTTP/1.1 503")) << c.head;
  const auto at = c.head.find("Retry-After: ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GE(std::stoi(c.head.substr(at + 13)), 7200);
}

TEST_F(ClusterTest, AnOpenBreakerOfTheClusterIsThisNodesToo) {
  auto open = leave(ScriptedLimits::Kind::open, 15s);
  open.breaker.state = ports::BreakerView::State::open;
  open.breaker.until = 15s;
  open.breaker.generation = 7;
  limits.says = {open};
  EXPECT_TRUE(send("a", "/o/a").says("detail=breaker-open"));
  const int asked = limits.asked;
  EXPECT_TRUE(send("a", "/o/b").says("detail=breaker-open"));
  EXPECT_EQ(limits.asked, asked);  // it knows
  ports::BreakerView closed;
  closed.generation = 8;
  nodes["a"]->cluster->on_breaker("o", closed);
  limits.says = {leave(ScriptedLimits::Kind::go)};
  origin.plays({page("back")});
  EXPECT_EQ(send("a", "/o/c").body, "back");
}

TEST_F(ClusterTest, APauseThatOneNodeWasAskedForIsEverybodys) {
  nodes["a"]->cluster->on_pause("o", "", 30s);
  EXPECT_TRUE(send("a", "/o/a").says("HTTP/1.1 429"));
  EXPECT_TRUE(origin.seen.empty());
}

TEST_F(ClusterTest, APurgeOfAnOriginEndsItsPausesOnAllNodes) {
  nodes["a"]->cluster->on_pause("o", "", 30s);
  PurgeRequest request;
  request.origins = {"o"};
  EXPECT_TRUE(purge(*nodes["b"]->shield, request).unknown.empty());
  EXPECT_EQ(pauses_ended, std::vector<std::string>{"o"});  // once, by the one that was asked
  origin.plays({page("again")});
  EXPECT_EQ(send("a", "/o/a").body, "again");
}

TEST_F(ClusterTest, WhoWaitsForAHolderWhoseOriginIsDownIsToldSo) {
  auto open = leave(ScriptedLimits::Kind::open, 15s);
  open.breaker.state = ports::BreakerView::State::open;
  open.breaker.until = 15s;
  open.breaker.generation = 7;
  Answer slow = page("slow");
  slow.takes = 50s;
  origin.plays({slow});
  send("a", "/o/a");
  limits.says = {open};
  nodes["b"]->cluster->on_breaker("o", open.breaker);
  Client& b = send("b", "/o/a");
  pass(1s);
  EXPECT_TRUE(b.says("detail=breaker-open")) << b.head;
}

// --- what is newer than what ---

TEST_F(ClusterTest, ACopyOfBeforeIsNotTakenForWhatHasJustCome) {
  origin_config.freshness.stale_if_error = 24h;
  std::string old(3'000'000, 'o'), young(3'000'000, 'y');
  origin.plays({page(old, headers({{"Cache-Control", "max-age=5"}, {"ETag", "\"old\""}}))});
  finish(send("a", "/o/big"));
  pass(60s);
  Answer next = page(young, headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"young\""}}));
  next.pause_in_body = 2s;
  origin.plays({next});
  nodes["a"]->shield->erase(std::string("o\x1f") + "/big");
  send("a", "/o/big");
  Client& b = send("b", "/o/big");
  pass(1s);
  nodes["a"]->cut = true;  // what it fetches is not published
  pass(3s);
  finish(b);
  EXPECT_TRUE(b.body == young);
  const auto held = nodes["b"]->shield->find(std::string("o\x1f") + "/big");
  if (held) EXPECT_NE(held->origin_etag, "\"old\"");
}

TEST_F(ClusterTest, WhoAsksHowItIsNowIsNotToldHowItWas) {
  origin.plays({page("one"), page("two")});
  send("a", "/o/a");
  send("b", "/o/a");
  pass(10s);
  // As after a restart: which copy it is a copy of nobody knows any more.
  nodes["b"]->shield->find(std::string("o\x1f") + "/a")->version.set(0);
  EXPECT_EQ(send("b", "/o/a", {{"Cache-Control", "no-cache"}}).body, "two");
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, AVersionThatHasChangedMeanwhileIsNoFaultOfTheOrigin) {
  Answer whole = page(big_body(), headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"1\""}}));
  whole.pause_in_body = 50s;
  Answer changed = page("short", headers({{"Cache-Control", "max-age=60"}, {"ETag", "\"2\""}}));
  origin.plays({whole, changed});
  send("a", "/o/big");
  Client& b = send("b", "/o/big");
  pass(1s);
  network.breaks_after = 1'000'000;
  kill("a");
  pass(70s);
  finish(b);
  EXPECT_FALSE(b.whole);
  Client& after = send("b", "/o/big");
  pass(1s);
  EXPECT_EQ(after.body, "short") << after.head;
}

TEST_F(ClusterTest, AWriteThroughOneNodeIsSeenByAll) {
  origin.plays({page("one"), page("two")});
  for (const char* node : {"a", "b"}) send(node, "/o/a");
  nodes["a"]->shield->outdate_target(std::string("o\x1f") + "/a");
  for (const char* node : {"b", "c", "a"}) EXPECT_EQ(send(node, "/o/a").body, "two") << node;
  EXPECT_EQ(origin.seen.size(), 2U);
}

TEST_F(ClusterTest, ManyWritesOutdateNothingElse) {
  origin.plays({page("kept")});
  for (const char* node : {"a", "b"}) send(node, "/o/kept");
  for (int i = 0; i < 12'000; ++i)
    nodes["a"]->shield->outdate_target("o\x1f/w" + std::to_string(i));
  EXPECT_TRUE(send("b", "/o/kept").says("Cache-Status: tanggul; hit"));
  EXPECT_TRUE(send("c", "/o/kept").says("Cache-Status: tanggul; hit"));
  EXPECT_EQ(origin.seen.size(), 1U);
}

TEST_F(ClusterTest, AFailureThatIsOneNodesOwnIsNotTheOthers) {
  Answer slow = page("hello");
  slow.takes = 2s;
  origin.plays({slow});
  limits.says = {leave(ScriptedLimits::Kind::full)};
  Client& a = send("a", "/o/a");  // finds no place …
  Client& b = send("b", "/o/a");
  pass(4s);
  EXPECT_FALSE(a.done || b.done);
  limits.says = {leave(ScriptedLimits::Kind::go)};
  pass(20s);
  EXPECT_EQ(b.body, "hello") << b.head;
}

TEST_F(ClusterTest, NothingOfTheNodesOwnPathsIsToldWithoutTheSecret) {
  ports::Call call;
  call.head.method = "GET";
  call.head.target = "/.tanggul/peer/entry/00";
  EXPECT_FALSE(nodes["a"]->endpoint->admits(call));
  call.head.headers.push_back({"Tanggul-Auth", "1700000000 00"});
  EXPECT_FALSE(nodes["a"]->endpoint->admits(call));
}

}  // namespace
}  // namespace tanggul::shield
