#include <algorithm>

#include "adapters/postgres/connection.h"
#include "adapters/postgres/postgres_database.h"
#include "async/spawn.h"
#include "async/waiter.h"
#include "base/log.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/backoff.h"

#include <boost/asio/post.hpp>

namespace tanggul::postgres {
namespace {

constexpr policy::BackoffConfig kReopen{.attempts = 1, .base = 100ms, .cap = 5s};
constexpr Duration kToAnswer = 5s;  // a question whether it lives

using Told = std::function<void(std::optional<std::string_view> payload)>;

// What the loop holds: it ends when it finds itself closed.
struct Listening {
  ListenConfig config;
  Told told;  // on the executor; not after close
  async::Executor executor;
  async::WaiterPtr waiter;
  std::shared_ptr<Connection> connection;
  bool closed = false;
};
using ListeningPtr = std::shared_ptr<Listening>;

// The channel is a plain word, as the configuration has checked.
std::string words_to_listen(const ListenConfig& config) {
  return "LISTEN \"" + config.channel + "\"";
}

// Until the connection breaks. What was told is passed on as it comes.
Task<void> hear(ListeningPtr l) {
  const auto connection = l->connection;
  l->told(std::nullopt);
  MonoTime check = MonoClock::now() + l->config.check;
  while (!l->closed && !connection->broken()) {
    co_await connection->idle(check);
    if (MonoClock::now() >= check && !l->closed && !connection->broken()) {
      co_await connection->simple("SELECT 1", MonoClock::now() + kToAnswer, [] { return false; });
      check = MonoClock::now() + l->config.check;
    }
    if (l->closed) co_return;
    for (const std::string& payload : connection->notifications()) l->told(payload);
  }
}

Task<void> listen_loop(ListeningPtr l) {
  for (int failed = 0; !l->closed;) {
    l->connection = std::make_shared<Connection>(l->executor);
    const auto connection = l->connection;
    const auto fault = co_await connection->open(l->config.address, words_to_listen(l->config),
                                                 MonoClock::now() + l->config.connect);
    if (l->closed) co_return;
    if (!fault) {
      log::info("{}: listens on channel {}", l->config.origin, l->config.channel);
      failed = 0;
      co_await hear(l);
      if (l->closed) co_return;
    }
    if (failed == 0)
      log::warn("{}: does not hear channel {}: {}", l->config.origin, l->config.channel,
                fault ? fault->words() : "the connection broke");
    const MonoTime again =
        MonoClock::now() + policy::full_jitter(kReopen, std::min(failed++, 30), thread_rng());
    while (!l->closed && MonoClock::now() < again) co_await l->waiter->wait_until(again);
  }
}

class ListenerHandle final : public Listener {
 public:
  explicit ListenerHandle(ListeningPtr listening) : listening_(std::move(listening)) {}
  ~ListenerHandle() override {
    boost::asio::post(listening_->executor, [l = listening_] {
      l->closed = true;
      l->waiter->wake();
      if (l->connection) l->connection->nudge();
    });
  }

 private:
  const ListeningPtr listening_;
};

}  // namespace

std::unique_ptr<Listener> listen(async::Executor executor, ListenConfig config, Told told) {
  const auto listening = std::make_shared<Listening>(Listening{
      std::move(config), std::move(told), executor, async::Waiter::make(executor), nullptr, false});
  async::spawn(executor, "listen", listen_loop(listening));
  return std::make_unique<ListenerHandle>(listening);
}

}  // namespace tanggul::postgres
