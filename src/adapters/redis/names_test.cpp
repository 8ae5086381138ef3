#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string_view>
#include <thread>

#include "adapters/redis/node_for_test.h"
#include "support/raw_exchange.h"

namespace {

// How names are found in this program: those that end in .slow.test not before they may, and
// two.test at two addresses.
std::atomic<bool> slow_may_end{false};
std::atomic<int> slow_asked{0};

using Find = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

int find_as_usual(const char* host, const char* port, const addrinfo* hints, addrinfo** found) {
  static const auto kUsual = reinterpret_cast<Find>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return kUsual(host, port, hints, found);
}

}  // namespace

extern "C" int getaddrinfo(const char* host, const char* port, const addrinfo* hints,
                           addrinfo** found) {
  const std::string_view name = host != nullptr ? host : "";
  if (name.ends_with(".slow.test")) {
    ++slow_asked;
    while (!slow_may_end) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return EAI_AGAIN;
  }
  if (name != "two.test") return find_as_usual(host, port, hints, found);
  const int failed = find_as_usual("127.0.0.2", port, hints, found);
  return failed != 0 ? failed : find_as_usual("127.0.0.1", port, hints, &(*found)->ai_next);
}

namespace tanggul::redis {
namespace {

// Takes connections up at no time, and answers no further one.
class FullBacklog {
 public:
  FullBacklog(const char* address, std::uint16_t port) {
    to_.sin_family = AF_INET;
    to_.sin_port = htons(port);
    ::inet_pton(AF_INET, address, &to_.sin_addr);
    const int listening = add();
    const auto* to = reinterpret_cast<const sockaddr*>(&to_);
    EXPECT_EQ(::bind(listening, to, sizeof to_), 0);
    EXPECT_EQ(::listen(listening, 0), 0);
    for (int i = 0; i < 4; ++i) ::connect(add(), to, sizeof to_);
  }
  ~FullBacklog() {
    for (const int fd : fds_) ::close(fd);
  }
  FullBacklog(const FullBacklog&) = delete;
  FullBacklog& operator=(const FullBacklog&) = delete;

 private:
  int add() {
    fds_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return fds_.back();
  }
  sockaddr_in to_{};
  std::vector<int> fds_;
};

class RedisNames : public RedisTest {};

TEST_F(RedisNames, OneThatIsNotFoundInTimeIsAnOutageAndHoldsNothingUp) {
  slow_asked = 0;
  slow_may_end = false;
  Node& node = add_node(config("redis://a.slow.test:1"));
  EXPECT_TRUE(until([&] { return node.heard.down(); }));
  EXPECT_NE(node.heard.reach.back().second.find("a.slow.test:1: timed out"), std::string::npos)
      << node.heard.reach.back().second;
  const MonoTime begun = MonoClock::now();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(acquire(node, request("id", "t"), Patience::kAtMost).kind,
              Acquired::Kind::unavailable);
  EXPECT_LT(MonoClock::now() - begun, 1s);  // each waited 100 ms before
  EXPECT_LE(slow_asked, 3);                 // one thread a connection
  close_all();                              // nothing waits for the names
  slow_may_end = true;
}

TEST_F(RedisNames, OfThisHostAreFound) {
  const test::RedisServer redis;
  Node& node = add_node(config("redis://localhost:" + std::to_string(redis.port())));
  EXPECT_TRUE(until([&] { return node.heard.up(); }));
  EXPECT_EQ(acquire(node, "id", "t").kind, Acquired::Kind::held);
}

TEST_F(RedisNames, AnAddressThatDoesNotAnswerLeavesTimeForTheNext) {
  const test::RedisServer redis;
  const FullBacklog silent("127.0.0.2", redis.port());
  Node& node = add_node(config("redis://two.test:" + std::to_string(redis.port())));
  EXPECT_TRUE(until([&] { return node.heard.up(); }));
  EXPECT_EQ(acquire(node, "id", "t").kind, Acquired::Kind::held);
}

}  // namespace
}  // namespace tanggul::redis
