// What a warm hit takes from the heap, in the real thing: a lane with its server and pipeline,
// asked over loopback.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <future>
#include <numeric>
#include <thread>

#include "app/config/config_for_test.h"
#include "app/service/heap_count_for_test.h"
#include "app/service/lane.h"
#include "support/scripted_origin.h"
#include "support/temp_dir.h"

namespace tanggul::app {
namespace {

constexpr int kClients = 16, kRounds = 40, kWindows = 10;

test::Script body_of(std::uint64_t size) {
  test::Script s;
  s.generated_size = size;
  s.headers = {{"Cache-Control", "max-age=86400"}, {"ETag", "\"e\""}};
  return s;
}

Config config_for(const test::ScriptedOrigin& origin, const std::string& data) {
  return good("listen: \"127.0.0.1:0\"\nadmin: \"127.0.0.1:1\"\nthreads: 1\naccess_log: off\n" +
              ("data_dir: " + data) + "\norigins:\n  o:\n    kind: generic\n    mount: /o/\n" +
              "    upstream: " + origin.url() + "\n");
}

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  return fd;
}

class HotPath : public testing::Test {
 protected:
  HotPath()
      : origin_(body_of(1024)),
        config_(config_for(origin_, data_.path())),
        shield_(config_.shield, metrics_),
        commons_({}, shield_, metrics_),
        lane_(config_, shield_, commons_, writer_, 1000) {
    std::string error;
    EXPECT_TRUE(lane_.server.listen(error)) << error;
    thread_ = std::thread([this] { lane_.io.run(); });
    for (int i = 0; i < kClients; ++i) clients_.push_back(connect_to(lane_.server.port()));
  }
  ~HotPath() override {
    for (const int fd : clients_) ::close(fd);
    boost::asio::post(lane_.io, [this] {
      lane_.server.close_all();
      lane_.io.stop();
    });
    thread_.join();
  }

  // On the lane's own thread.
  std::uint64_t blocks() {
    std::promise<std::uint64_t> told;
    boost::asio::post(lane_.io, [&] { told.set_value(heap_blocks_of_this_thread()); });
    return told.get_future().get();
  }

  // What each of some hundreds of hits in a row has taken, several times over. The lane's own clock
  // ticks twenty times a second and may take a block of its own: so not in every window.
  std::vector<std::uint64_t> taken_by_hits(std::size_t body, const std::string& more = "") {
    std::vector<std::uint64_t> taken;
    for (int i = 0; i < kWindows; ++i) {
      const std::uint64_t before = blocks();
      ask("/o/k", body, kRounds, more);
      taken.push_back(blocks() - before);
    }
    return taken;
  }
  static void expect_none(const std::vector<std::uint64_t>& taken) {
    EXPECT_EQ(*std::min_element(taken.begin(), taken.end()), 0U) << kClients * kRounds << " hits";
    // Nor does a hit now and then, which some windows would be without.
    EXPECT_LT(std::accumulate(taken.begin(), taken.end(), std::uint64_t{0}),
              kClients * kRounds * kWindows / 100U);
  }

  // Each client asks once and has its whole answer, `rounds` times.
  void ask(const std::string& target, std::size_t body, int rounds, const std::string& more = "") {
    const std::string request = "GET " + target +
                                " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: one/1\r\n"
                                "Accept: */*\r\n" +
                                more + "\r\n";
    for (int round = 0; round < rounds; ++round) {
      for (const int fd : clients_) ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
      for (const int fd : clients_) read_answer(fd, body);
    }
  }

  void read_answer(int fd, std::size_t body) {
    std::string answer;
    std::size_t head = std::string::npos;
    std::array<char, 65536> piece;
    while (head == std::string::npos || answer.size() < head + 4 + body) {
      const ssize_t n = ::recv(fd, piece.data(), piece.size(), 0);
      ASSERT_GT(n, 0);
      answer.append(piece.data(), static_cast<std::size_t>(n));
      head = answer.find("\r\n\r\n");
    }
    ASSERT_EQ(answer.size(), head + 4 + body) << answer.substr(0, head);
  }

  test::TempDir data_;
  test::ScriptedOrigin origin_;
  Config config_;
  MetricSet metrics_;
  shield::Shield shield_;
  Commons commons_;
  beast::LogWriter writer_;
  Lane lane_;
  std::thread thread_;
  std::vector<int> clients_;
};

TEST_F(HotPath, TakesNothingFromTheHeapForAWarmHit) {
  if (!kHeapIsCounted) GTEST_SKIP() << "the sanitizer's heap is not counted";
  ask("/o/k", 1024, 3);
  expect_none(taken_by_hits(1024));
}

TEST_F(HotPath, TakesNothingFromTheHeapForAClientThatAlreadyHasTheAnswer) {
  if (!kHeapIsCounted) GTEST_SKIP() << "the sanitizer's heap is not counted";
  const std::string condition = "If-None-Match: \"e\"\r\n";
  ask("/o/k", 1024, 1);
  ask("/o/k", 0, 3, condition);
  expect_none(taken_by_hits(0, condition));
}

TEST_F(HotPath, TakesFromTheHeapForAMiss) {
  if (!kHeapIsCounted) GTEST_SKIP() << "the sanitizer's heap is not counted";
  ask("/o/k", 1024, 3);
  const std::uint64_t before = blocks();
  ask("/o/other", 1024, 1);
  EXPECT_GT(blocks() - before, 10U);
}

}  // namespace
}  // namespace tanggul::app
