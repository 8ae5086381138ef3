#include <thread>

#include "adapters/redis/connection.h"
#include "adapters/redis/node_for_test.h"
#include "support/raw_exchange.h"
#include "support/wire.h"
#include "tanggul/base/random.h"

namespace tanggul::redis {
namespace {

using Kind = Acquired::Kind;

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// A server that does to each connection what it is told, on the test's loop.
class StrangeServer {
 public:
  StrangeServer(asio::io_context& io, std::string answer, bool endless)
      : acceptor_(io.get_executor(), {asio::ip::address_v4::loopback(), 0}) {
    async::spawn(io.get_executor(), "strange", accept(*this, std::move(answer), endless));
  }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  int connections() const { return connections_; }
  void close() { acceptor_.close(); }

 private:
  using Socket = test::Socket;
  static Task<void> accept(StrangeServer& self, std::string answer, bool endless) {
    for (;;) {
      auto [ec, socket] = co_await self.acceptor_.async_accept(asio::as_tuple(async::use_task));
      if (ec) co_return;
      ++self.connections_;
      async::spawn(self.acceptor_.get_executor(), "one",
                   serve(std::make_shared<Socket>(std::move(socket)), answer, endless));
    }
  }
  static Task<void> serve(std::shared_ptr<Socket> socket, std::string answer, bool endless) {
    char in[4096];
    for (bool first = true;; first = false) {
      auto [ec, n] =
          co_await socket->async_read_some(asio::buffer(in), asio::as_tuple(async::use_task));
      if (ec || n == 0) co_return;
      while (first && !answer.empty()) {
        auto [failed, sent] = co_await asio::async_write(*socket, asio::buffer(answer),
                                                         asio::as_tuple(async::use_task));
        if (failed || sent == 0) co_return;
        if (!endless) break;
      }
    }
  }
  asio::basic_socket_acceptor<asio::ip::tcp, async::Executor> acceptor_;
  int connections_ = 0;
};

class RedisFaults : public RedisTest {
 protected:
  std::string at(std::uint16_t port) { return "redis://127.0.0.1:" + std::to_string(port); }
  // A call as a request makes it: with 100 ms in all. How long it took.
  Duration timed_acquire(Node& node, const std::string& id, Kind& kind) {
    const MonoTime begun = MonoClock::now();
    kind = acquire(node, request(id, "t"), Patience::kAtMost).kind;
    return MonoClock::now() - begun;
  }
  // Until the breaker is open.
  void fail_until_down(Node& node) {
    int i = 0;
    EXPECT_TRUE(until([&] {
      acquire(node, request("down" + std::to_string(i++), "t"), 30ms);
      return node.heard.down();
    }));
  }
  void expect_service(Node& node, Duration at_most = kHang) {
    int i = 0;
    EXPECT_TRUE(until(
        [&] {
          const std::string id = "again" + std::to_string(i++);
          return acquire(node, request(id, "t"), 100ms).kind == Kind::held;
        },
        at_most));
    EXPECT_TRUE(until([&] { return node.heard.up(); }));
  }
};

TEST_F(RedisFaults, AStalledServerCostsACallItsPatienceOnceAndIsBackByItself) {
  test::RedisServer redis;
  Node& node = node_of(redis);
  redis.freeze();
  Kind kind{};
  const Duration first = timed_acquire(node, "a", kind);
  EXPECT_EQ(kind, Kind::unavailable);
  EXPECT_GE(first, 100ms);
  EXPECT_LT(first, 300ms);
  const Duration second = timed_acquire(node, "b", kind);  // could only wait behind the first
  EXPECT_EQ(kind, Kind::unavailable);
  EXPECT_LT(second, 100ms);
  fail_until_down(node);
  EXPECT_EQ(node.metric("tanggul_redis_up"), 0);
  EXPECT_GT(node.metric("tanggul_redis_errors_total", "acquire"), 0);
  const double commands = node.metric("tanggul_redis_commands_total");
  EXPECT_LT(timed_acquire(node, "c", kind), 100ms);
  EXPECT_EQ(kind, Kind::unavailable);
  EXPECT_LE(node.metric("tanggul_redis_commands_total"), commands + 2);  // a probe, a ping
  redis.thaw();
  const MonoTime thawed = MonoClock::now();
  expect_service(node);
  EXPECT_LT(MonoClock::now() - thawed, 15s);  // 5 s are promised
  EXPECT_EQ(node.metric("tanggul_redis_up"), 1);
}

TEST_F(RedisFaults, AnAcquireThatTimedOutLeavesNoLease) {
  test::RedisServer redis;
  Node& node = node_of(redis);
  redis.freeze();
  Kind kind{};
  timed_acquire(node, "id", kind);
  EXPECT_EQ(kind, Kind::unavailable);
  redis.thaw();
  // It was carried out, and so was what gave it back.
  EXPECT_TRUE(until([&] { return redis.command({"STRLEN", "{tanggul:id}:l"}).text == "20"; }));
}

TEST_F(RedisFaults, AnAcquireWhoseConnectionBrokeLeavesNoLease) {
  test::RedisServer redis;
  Node& node = node_of(redis);
  redis.freeze();
  Kind kind{};
  std::optional<Acquired> got;
  static constexpr auto kAcquire = [](Node& n, ports::LeaseRequest r,
                                      std::optional<Acquired>& to) -> Task<void> {
    Patience p(10s);
    Acquired acquired = co_await n.lane.leases->acquire(std::move(r), p);
    to = std::move(acquired);
  };
  async::spawn(io_.get_executor(), "acquire", kAcquire(node, request("id", "t"), got));
  EXPECT_TRUE(until([&] { return got.has_value(); }));  // silent for two seconds: dropped
  EXPECT_EQ(got->kind, Kind::unavailable);
  redis.thaw();
  expect_service(node);
  EXPECT_TRUE(until([&] { return redis.command({"STRLEN", "{tanggul:id}:l"}).text == "20"; }));
  EXPECT_EQ(timed_acquire(node, "id", kind) > 0ms, true);
  EXPECT_EQ(kind, Kind::held);
}

TEST_F(RedisFaults, ACallOfLittlePatienceSaysNothingAboutRedis) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  for (int i = 0; i < 50; ++i) acquire(node, request("i" + std::to_string(i), "t"), 1us);
  EXPECT_TRUE(node.heard.up());
  EXPECT_EQ(acquire(node, "id", "t").kind, Kind::held);
}

TEST_F(RedisFaults, ThisProcessStandingStillIsNoTimeOut) {
  const test::RedisServer redis;
  Node& node = node_of(redis);
  std::optional<Acquired> got;
  static constexpr auto kAcquire = [](Node& n, std::optional<Acquired>& to) -> Task<void> {
    Patience p(100ms);
    Acquired acquired = co_await n.lane.leases->acquire(request("id", "t"), p);
    to = std::move(acquired);
  };
  async::spawn(io_.get_executor(), "acquire", kAcquire(node, got));
  io_.poll();                                                   // sent
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the loop stands still
  EXPECT_TRUE(until([&] { return got.has_value(); }));
  EXPECT_EQ(got->kind, Kind::held);
}

TEST_F(RedisFaults, ARestartLosesLeasesButNoService) {
  test::RedisServer redis;
  Node& node = node_of(redis);
  const std::uint64_t fence = acquire(node, "id", "t").fence;
  redis.kill();
  EXPECT_TRUE(until([&] { return node.heard.down(); }));
  Kind kind{};
  EXPECT_LT(timed_acquire(node, "x", kind), 100ms);
  EXPECT_EQ(kind, Kind::unavailable);
  node.lane.leases->release("id", "t");  // waits for the next connection
  redis.start();
  expect_service(node);
  Patience p(5s);
  EXPECT_EQ(await(node.lane.leases->renew("id", "t", 10s, p)), ports::Leases::Renewal::lost);
  EXPECT_GT(acquire(node, "id", "t2").fence, fence);
}

TEST_F(RedisFaults, WhatNobodyWaitsForIsDoneAfterTheOutage) {
  test::RedisServer redis;
  Node& node = node_of(redis);
  acquire(node, "id", "t");
  ASSERT_GT(redis.command({"STRLEN", "{tanggul:id}:l"}).integer(), 20);
  redis.command({"CLIENT", "KILL", "TYPE", "normal"});
  redis.command({"CLIENT", "KILL", "TYPE", "pubsub"});
  run_for(1ms);
  node.lane.leases->release("id", "t");
  EXPECT_TRUE(until([&] { return redis.command({"STRLEN", "{tanggul:id}:l"}).text == "20"; }));
}

TEST_F(RedisFaults, AServerThatIsFullIsAnOutageAndItsEndIsFound) {
  test::RedisServer redis;
  Node& node = node_of(redis);
  ASSERT_EQ(acquire(node, "held", "t").kind, Kind::held);
  redis.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  redis.command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(publish(node, {.id = "held", .token = "t", .bytes = "x", .lives = 60s}),
            ports::SharedStore::Published::unavailable);
  fail_until_down(node);
  EXPECT_NE(node.heard.reach.back().second.find("OOM"), std::string::npos)
      << node.heard.reach.back().second;
  // It answers a PING, yet it cannot serve: probes find that out.
  const double failed = node.metric("tanggul_redis_errors_total", "connect");
  EXPECT_TRUE(
      until([&] { return node.metric("tanggul_redis_errors_total", "connect") >= failed + 2; }));
  EXPECT_TRUE(node.heard.down());
  redis.command({"CONFIG", "SET", "maxmemory", "0"});
  expect_service(node);
  // What could not be published has given its lease back.
  EXPECT_TRUE(until([&] { return redis.command({"STRLEN", "{tanggul:held}:l"}).text == "20"; }));
}

TEST_F(RedisFaults, AReplicaIsAnOutageUntilItIsAMaster) {
  test::RedisServer master;
  test::RedisServer replica({.replica_of = master.port()});
  Node& node = add_node(config(replica.url()));
  EXPECT_TRUE(until([&] { return node.heard.down(); }));
  EXPECT_NE(node.heard.reach.back().second.find("READONLY"), std::string::npos)
      << node.heard.reach.back().second;
  Kind kind{};
  EXPECT_LT(timed_acquire(node, "x", kind), 100ms);
  EXPECT_EQ(kind, Kind::unavailable);
  replica.command({"REPLICAOF", "NO", "ONE"});
  expect_service(node);
}

TEST_F(RedisFaults, AFlushAndForgottenScriptsCostNothing) {
  test::RedisServer redis;
  Node& node = node_of(redis);
  redis.command({"SCRIPT", "FLUSH"});
  EXPECT_EQ(acquire(node, "id", "t").kind, Kind::held);
  redis.command({"FLUSHALL"});
  redis.command({"SCRIPT", "FLUSH"});
  EXPECT_EQ(acquire(node, "id", "t").kind, Kind::held);
  redis.command({"SCRIPT", "FLUSH"});
  node.lane.leases->release("id", "t");
  EXPECT_TRUE(until([&] { return redis.command({"STRLEN", "{tanggul:id}:l"}).text == "20"; }));
  EXPECT_TRUE(node.heard.up());
  EXPECT_EQ(node.metric("tanggul_redis_errors_total", "acquire"), 0);
}

TEST_F(RedisFaults, PasswordsAreGivenAndAWrongOneIsNamed) {
  const test::RedisServer redis({.password = "p@ss"});
  const test::RedisServer users({.password = "secret", .user = "shield"});
  const std::string host = redis.host();
  EXPECT_EQ(acquire(node_of(users, "u"), "id", "t").kind, Kind::held);
  Node& good = add_node(config("redis://:p%40ss@" + host + "/3"));
  EXPECT_TRUE(until([&] { return good.heard.up(); }));
  EXPECT_EQ(acquire(good, "id", "t").kind, Kind::held);
  EXPECT_NE(redis.command({"INFO", "keyspace"}).text.find("db3:"), std::string::npos);
  Node& wrong = add_node(config("redis://:wrong@" + host));
  Node& none = add_node(config("redis://" + host));
  EXPECT_TRUE(until([&] { return wrong.heard.down() && none.heard.down(); }));
  EXPECT_NE(wrong.heard.reach.back().second.find("WRONGPASS"), std::string::npos);
  EXPECT_NE(none.heard.reach.back().second.find("NOAUTH"), std::string::npos);
}

TEST_F(RedisFaults, AUserWhoMayUseNoChannelIsServedAllTheSame) {
  const test::RedisServer redis;
  redis.command({"ACL", "SETUSER", "deaf", "on", ">pw", "~*", "+@all", "resetchannels"});
  Node& node = add_node(config("redis://deaf:pw@" + redis.host()));
  EXPECT_TRUE(until([&] { return node.heard.up(); }));
  EXPECT_EQ(acquire(node, "id", "t").kind, Kind::held);
  EXPECT_EQ(publish(node, {.id = "id", .token = "t", .bytes = "x", .lives = 60s}),
            ports::SharedStore::Published::yes);
  EXPECT_EQ(acquire(node, "id2", "t").kind, Kind::held);
  node.lane.leases->release("id2", "t");
  EXPECT_EQ(acquire(node, "id2", "t").kind, Kind::held);
  EXPECT_TRUE(await(node.member->purge({{.rule = 1, .what = "x"}})));
  EXPECT_TRUE(until([&] { return node.heard.purges.size() == 1; }));
  // However often its ear is refused.
  EXPECT_TRUE(
      until([&] { return node.metric("tanggul_redis_errors_total", "connect") >= 5; }, 60s));
  EXPECT_EQ(node.heard.reach.size(), 1u);
  EXPECT_EQ(node.metric("tanggul_redis_errors_total", "publish"), 0);
}

TEST_F(RedisFaults, WhyNoChannelMayBeHeardIsTold) {
  const test::RedisServer redis;
  redis.command({"ACL", "SETUSER", "deaf", "on", ">pw", "~*", "+@all", "resetchannels"});
  std::string why;
  Connection::Events events;
  events.lost = [&](const std::string& text) { why = text; };
  MetricSet metrics;
  const auto ear = std::make_shared<Connection>(
      io_.get_executor(),
      Connection::Config{config("redis://deaf:pw@" + redis.host()).address, "ear", {"a", "b"}},
      std::move(events), metrics.counter("commands", "Commands."));
  ear->start();
  EXPECT_TRUE(until([&] { return !why.empty(); }));
  EXPECT_NE(why.find("NOPERM"), std::string::npos) << why;
  ear->close();
  close_all();  // while what it counts with is there
}

TEST_F(RedisFaults, ANodeStartsWithoutRedisAndTakesItUpWhenItComes) {
  test::RedisServer redis;
  redis.kill();
  Node& node = add_node(config(redis.url()));
  EXPECT_TRUE(until([&] { return node.heard.down(); }));
  EXPECT_NE(node.heard.reach.back().second.find("cannot connect"), std::string::npos)
      << node.heard.reach.back().second;
  EXPECT_EQ(acquire(node, "id", "t").kind, Kind::unavailable);
  redis.start();
  expect_service(node);
}

TEST_F(RedisFaults, WhatTheLogSaysOfAnOutageIsWhatItIsNow) {
  test::RedisServer redis;
  redis.kill();
  testing::internal::CaptureStderr();
  Node& node = add_node(config(redis.url()));
  EXPECT_TRUE(until([&] { return node.heard.down(); }));
  const test::RedisServer other({.port = redis.port(), .password = "secret"});
  EXPECT_TRUE(until([&] { return node.heard.reach.size() == 2; }, 60s));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(node.heard.down());
  const auto refused = log.find("redis cannot be reached: "), denied = log.find("NOAUTH");
  EXPECT_NE(refused, std::string::npos) << log;
  EXPECT_LT(refused, log.find("Connection refused")) << log;
  EXPECT_NE(denied, std::string::npos) << log;
  EXPECT_LT(log.find("redis cannot serve: "), denied) << log;
}

TEST_F(RedisFaults, TheFirstCallWaitsForTheFirstConnection) {
  const test::RedisServer redis;
  Node& node = add_node(config(redis.url()));
  EXPECT_EQ(acquire(node, "id", "t").kind, Kind::held);
}

// Each pauses for up to a second between two tries. Where one has come through, what is asked of
// the others need not be refused until they have tried too.
TEST_F(RedisFaults, OnceOneThreadHasReachedItAgainAllAreServed) {
  test::RedisServer redis;
  Node& node = node_of(redis);
  std::vector<RedisLane> more;
  for (int i = 0; i < 8; ++i) more.push_back(node.cluster->lane(io_.get_executor()));
  redis.kill();
  EXPECT_TRUE(until([&] { return node.metric("tanggul_redis_errors_total", "connect") > 60; }));
  EXPECT_TRUE(node.heard.down());
  redis.start();
  EXPECT_TRUE(until([&] { return node.heard.up(); }));
  for (std::size_t i = 0; i < more.size(); ++i) {
    Patience patience(5s);
    auto asked = request("id" + std::to_string(i), "t");
    EXPECT_EQ(await(more[i].leases->acquire(std::move(asked), patience)).kind, Kind::held) << i;
  }
}

// Its first packet is lost, as there is no room in the queue of those who want to be accepted.
TEST_F(RedisFaults, ATryWhosePacketsAreLostIsMadeAnewWhenItIsKnownThatTheServerIsThere) {
  asio::basic_socket_acceptor<asio::ip::tcp, async::Executor> acceptor(io_.get_executor());
  acceptor.open(asio::ip::tcp::v4());
  acceptor.bind({asio::ip::address_v4::loopback(), 0});
  acceptor.listen(0);
  test::Socket in_the_queue(io_.get_executor());
  in_the_queue.connect(acceptor.local_endpoint());
  int lost = 0;
  Connection::Events events;
  events.lost = [&](const std::string&) { ++lost; };
  MetricSet metrics;
  const auto connection = std::make_shared<Connection>(
      io_.get_executor(),
      Connection::Config{config(at(acceptor.local_endpoint().port())).address, "c", {}},
      std::move(events), metrics.counter("commands", ""));
  connection->start();
  io_.poll();
  acceptor.accept();
  int accepted = 0;
  acceptor.async_accept([&](boost::system::error_code ec, auto) { accepted += ec ? 0 : 1; });
  io_.poll();
  EXPECT_EQ(accepted, 0);
  connection->hurry();
  EXPECT_TRUE(until([&] { return accepted == 1; }));
  EXPECT_EQ(lost, 0);
  connection->close();
}

TEST_F(RedisFaults, AConnectionThatGetsNoAnswerIsMadeAnewWhenItIsKnownThatTheServerIsThere) {
  test::RedisServer redis;
  bool ready = false;
  int lost = 0;
  Connection::Events events;
  events.ready = [&] { ready = true; };
  events.lost = [&](const std::string&) { ++lost; };
  MetricSet metrics;
  const auto connection = std::make_shared<Connection>(
      io_.get_executor(), Connection::Config{config(redis.url()).address, "c", {}},
      std::move(events), metrics.counter("commands", ""));
  connection->start();
  EXPECT_TRUE(until([&] { return ready; }));
  const std::string_view ping[] = {"PING"};
  const auto call = [&](Duration patience) {
    return await(connection->call(Encoded(ping), MonoClock::now() + patience)).kind;
  };
  redis.freeze();
  EXPECT_EQ(call(60ms), Answer::Kind::overdue);
  EXPECT_EQ(call(60ms), Answer::Kind::refused);
  connection->hurry();
  ready = false;
  redis.thaw();
  EXPECT_TRUE(until([&] { return ready; }));
  EXPECT_EQ(call(5s), Answer::Kind::reply);
  EXPECT_EQ(lost, 0);
  connection->close();
}

TEST_F(RedisFaults, GarbageIsNoRedis) {
  std::string garbage;
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) garbage += static_cast<char>(rng.bits());
  for (const std::string& answer :
       {garbage, std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), std::string("*1000000000\r\n"),
        std::string("+OK\r\n+OK\r\n:1\r\n+OK\r\n$-1\r\n") + std::string(4000, '+')}) {
    StrangeServer server(io_, answer, false);
    Node& node = add_node(config(at(server.port())));
    EXPECT_TRUE(until([&] { return node.heard.down(); }));
    EXPECT_EQ(acquire(node, "id", "t").kind, Kind::unavailable);
    EXPECT_LT(server.connections(), 200);
    server.close();
    close_all();
  }
}

TEST_F(RedisFaults, AnEndlessAnswerEatsNoMemory) {
  StrangeServer server(io_, "$400000000\r\n" + std::string(100'000, 'x'), true);
  Node& node = add_node(config(at(server.port())));
  const auto before = test::status_bytes(::getpid(), "VmRSS:");
  EXPECT_TRUE(until([&] { return node.heard.down(); }));
  run_for(1s);
  constexpr ByteCount kFreedAndKept = kSanitized ? 600_MiB : 0;
  EXPECT_LT(test::status_bytes(::getpid(), "VmRSS:"), before + 200_MiB + kFreedAndKept);
  server.close();
}

TEST_F(RedisFaults, AServerThatNeverAnswersIsGivenUp) {
  StrangeServer server(io_, "", false);
  Node& node = add_node(config(at(server.port())));
  Kind kind{};
  EXPECT_LT(timed_acquire(node, "id", kind), 300ms);
  EXPECT_EQ(kind, Kind::unavailable);
  EXPECT_TRUE(until([&] { return node.heard.down(); }));
  EXPECT_TRUE(until([&] { return server.connections() > 2; }));
  server.close();
}

TEST_F(RedisFaults, EverythingRunsOnARedisCluster) {
  const test::RedisServer redis({.cluster = true});
  Node& a = node_of(redis, "a");
  Node& b = node_of(redis, "b");
  ASSERT_EQ(acquire(a, "id", "t").kind, Kind::held);
  Patience p(5s);
  EXPECT_EQ(await(a.lane.leases->renew("id", "t", 20s, p)), ports::Leases::Renewal::held);
  EXPECT_EQ(publish(a, {.id = "id", .token = "t", .bytes = "x", .lives = 60s, .holder = "h"}),
            ports::SharedStore::Published::yes);
  const auto seen = look(b, "id").copies;
  ASSERT_TRUE(seen.entry);
  b.lane.store->add_holder("id", seen.entry->version, "h2");
  EXPECT_EQ(look(b, "id").copies.holders.size(), 2u);
  b.lane.store->remove_holder("id", "h2");
  acquire(b, "other", "t");
  b.lane.leases->release("other", "t");
  const ports::SharedRules rules = all_rules();
  const auto leave = await(
      b.lane.limits->ask({.origin = "o", .credential = "c", .rules = rules, .may_wait = 1s}, p));
  EXPECT_EQ(leave.kind, ports::AttemptLeave::Kind::go);
  b.lane.limits->finish({.origin = "o",
                         .place = leave.place,
                         .rules = rules,
                         .generation = leave.generation,
                         .sample = ports::AttemptSample::failure,
                         .pause = 1s,
                         .credential = "c"});
  EXPECT_TRUE(await(b.member->purge({{.rule = 1, .what = "x"}})));
  EXPECT_TRUE(until([&] {
    return !a.heard.purges.empty() && !a.heard.breakers.empty() && !a.heard.pauses.empty();
  }));
  // A small memory, so that something is evicted too.
  RedisConfig c = config(redis.url(), "small");
  c.memory = 20'000;
  Node& small = add_node(c);
  EXPECT_TRUE(until([&] { return small.heard.up(); }));
  for (int i = 0; i < 10; ++i) {
    const std::string id = "e" + std::to_string(i);
    acquire(small, id, "t");
    const bool failure = i % 2 == 0;
    EXPECT_EQ(publish(small, {.id = id,
                              .token = "t",
                              .bytes = std::string(5'000, 'x'),
                              .lives = std::chrono::seconds(60 + i),
                              .failure = failure}),
              ports::SharedStore::Published::yes);
  }
  EXPECT_FALSE(look(small, "e1").copies.entry);
  for (const auto& node : nodes_)
    for (const char* op :
         {"acquire", "renew", "release", "look", "publish", "limits", "membership", "connect"})
      EXPECT_EQ(node->metric("tanggul_redis_errors_total", op), 0) << op;
}

TEST_F(RedisFaults, SentinelsLeadToTheNextMaster) {
  test::RedisServer master;
  test::RedisServer replica({.replica_of = master.port()});
  ASSERT_TRUE(until([&] { return replica.info("master_link_status") == "up"; }));
  const test::RedisSentinel sentinel("m", master.port());
  ASSERT_TRUE(until([&] {
    const auto known = sentinel.command({"SENTINEL", "replicas", "m"});
    return known.items.size() == 1;
  }));
  // The first of the sentinels is gone.
  Node& node = add_node(config("redis-sentinel://127.0.0.1:" + std::to_string(test::free_port()) +
                               ",127.0.0.1:" + std::to_string(sentinel.port()) + "/m"));
  EXPECT_TRUE(until([&] { return node.heard.up(); }));
  const std::uint64_t fence = acquire(node, "id", "t").fence;
  master.kill();
  EXPECT_TRUE(until([&] { return node.heard.down(); }));
  EXPECT_TRUE(until([&] { return sentinel.master_port() == replica.port(); }, 60s));
  expect_service(node);
  EXPECT_EQ(replica.info("role"), "master");
  EXPECT_GT(acquire(node, "id2", "t").fence, fence);
}

TEST_F(RedisFaults, AnUnknownMasterIsNamed) {
  const test::RedisServer master;
  const test::RedisSentinel sentinel("m", master.port());
  Node& node =
      add_node(config("redis-sentinel://127.0.0.1:" + std::to_string(sentinel.port()) + "/other"));
  EXPECT_TRUE(until([&] { return node.heard.down(); }));
  EXPECT_NE(node.heard.reach.back().second.find("does not know of a master other"),
            std::string::npos)
      << node.heard.reach.back().second;
}

}  // namespace
}  // namespace tanggul::redis
