#include "adapters/beast/server.h"

#include <malloc.h>
#include <sys/socket.h>

#include <algorithm>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

#include "adapters/beast/session.h"
#include "async/spawn.h"
#include "async/timer.h"
#include "base/log.h"

namespace tanggul::beast {
namespace {

// Each session is looked at once in this time, a part of them at a time: a look at thousands at
// once would hold up the others' requests.
constexpr Duration kSweep = 250ms;
constexpr std::size_t kFewestParts = 5, kMostParts = 50, kSessionsAPart = 100;
constexpr int kBacklog = 4096;
constexpr auto kTuple = asio::as_tuple(async::use_task);
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, async::Executor>;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

}  // namespace

struct Server::Core : std::enable_shared_from_this<Server::Core> {
  Core(async::Executor e, ServerConfig c, ports::Handler& h, AccessLog* l)
      : executor(e),
        config(std::make_shared<const ServerConfig>(std::move(c))),
        handler(h),
        log(l),
        acceptor(e),
        sweep_timer(e),
        accept_timer(e) {}

  async::Executor executor;
  std::shared_ptr<const ServerConfig> config;  // each session keeps the one it began with
  ports::Handler& handler;
  AccessLog* const log;
  std::shared_ptr<TlsContext> tls;
  Acceptor acceptor;
  async::Timer sweep_timer, accept_timer;
  std::unordered_set<std::shared_ptr<Session>> sessions;
  std::uint16_t port = 0;
  bool stopped = false;
  std::size_t most_sessions = 0;  // since memory was last given back
  MonoTime trim_again;
  MonoTime warn_again;  // out of files is told now and then, not at every try

  static Task<void> accept_loop(std::shared_ptr<Core> core);
  void accept_rest();
  static bool begin(const std::shared_ptr<Core>& core, Socket socket);
  static Task<void> serve(std::shared_ptr<Core> core, std::shared_ptr<Session> session);
  static Task<void> sweep_loop(std::shared_ptr<Core> core);
  template <class Each>
  void for_part(std::size_t part, std::size_t parts, const Each& each) const;
  static void give_memory_back(Core& core);
};

Task<void> Server::Core::accept_loop(std::shared_ptr<Core> core) {
  while (!core->stopped) {
    if (core->sessions.size() >= core->config->connections) {
      core->accept_timer.expires_after(10ms);
      co_await core->accept_timer.async_wait(kTuple);
      continue;
    }
    auto [error, socket] = co_await core->acceptor.async_accept(kTuple);
    if (!error) {  // also when the listener has been stopped meanwhile: it has connected before
      if (begin(core, std::move(socket))) continue;
      core->accept_timer.expires_after(100ms);
      co_await core->accept_timer.async_wait(kTuple);
    } else if (error == asio::error::no_descriptors ||
               error == boost::system::errc::too_many_files_open_in_system ||
               error == asio::error::no_memory) {
      // Out of files: accepting again at once would only spin.
      if (const MonoTime now = MonoClock::now(); now >= core->warn_again) {
        log::warn("cannot accept on port {}: {}", core->port, error.message());
        core->warn_again = now + 10s;
      }
      core->accept_timer.expires_after(100ms);
      co_await core->accept_timer.async_wait(kTuple);
    }
  }
}

// False: there is no memory, or no room in the reactor, for one more. That connection is lost; a
// listener that stopped over it would leave its whole share of the port unanswered.
bool Server::Core::begin(const std::shared_ptr<Core>& core, Socket socket) try {
  auto session = std::make_shared<Session>(std::move(socket), core->tls.get(), core->config,
                                           core->handler, core->log);
  core->sessions.insert(session);
  async::spawn(core->executor, "session", serve(core, std::move(session)));
  return true;
} catch (const std::exception& e) {
  log::warn("cannot serve a connection: {}", e.what());
  return false;
}

// Who has connected before the listener closes would be reset by that.
void Server::Core::accept_rest() {
  boost::system::error_code error;
  acceptor.non_blocking(true, error);
  while (!error && sessions.size() < config->connections) {
    Socket socket(executor);
    acceptor.accept(socket, error);
    if (!error) begin(shared_from_this(), std::move(socket));
  }
}

Task<void> Server::Core::serve(std::shared_ptr<Core> core, std::shared_ptr<Session> session) {
  try {
    co_await session->run();
  } catch (...) {
    core->sessions.erase(session);
    session->close();
    throw;  // counted by spawn()
  }
  core->sessions.erase(session);
}

// The sessions of one part of the table. Who changes parts as it grows is seen a sweep later.
template <class Each>
void Server::Core::for_part(std::size_t part, std::size_t parts, const Each& each) const {
  const std::size_t buckets = sessions.bucket_count();
  const std::size_t end = (part + 1) * buckets / parts;
  for (std::size_t b = part * buckets / parts; b < end; ++b)
    for (auto s = sessions.begin(b); s != sessions.end(b); ++s) each(*s);
}

Task<void> Server::Core::sweep_loop(std::shared_ptr<Core> core) {
  std::vector<std::shared_ptr<Session>> over;
  std::size_t part = 0, parts = kFewestParts;
  while (!core->stopped || !core->sessions.empty()) {
    core->sweep_timer.expires_after(kSweep / static_cast<int>(parts));
    co_await core->sweep_timer.async_wait(kTuple);
    give_memory_back(*core);
    const MonoTime now = MonoClock::now();
    over.clear();
    core->for_part(part, parts, [&](const auto& s) {
      s->look_for_end();
      if (s->deadline() <= now) over.push_back(s);
    });
    for (const auto& s : over) s->expire();
    if (++part < parts) continue;
    part = 0;
    parts = std::clamp(core->sessions.size() / kSessionsAPart, kFewestParts, kMostParts);
    if (core->log != nullptr) core->log->flush();
  }
}

// A herd that has left leaves its memory with the allocator, which keeps it: some milliseconds,
// once for hundreds of connections, give it back to the system.
void Server::Core::give_memory_back(Core& core) {
  constexpr std::size_t kManySessions = 256;
  constexpr Duration kAtMostEvery = 2s;
  core.most_sessions = std::max(core.most_sessions, core.sessions.size());
  if (core.most_sessions - core.sessions.size() < kManySessions) return;
  const MonoTime now = MonoClock::now();
  if (now < core.trim_again) return;
  core.trim_again = now + kAtMostEvery;
  core.most_sessions = core.sessions.size();
  ::malloc_trim(0);
}

Server::Server(async::Executor executor, ServerConfig config, ports::Handler& handler,
               AccessLog* log)
    : core_(std::make_shared<Core>(executor, std::move(config), handler, log)) {}

Server::~Server() { close_all(); }

void Server::set_tls(std::shared_ptr<TlsContext> tls) { core_->tls = std::move(tls); }

Result<void> Server::listen(std::string& error) {
  boost::system::error_code ec;
  const auto address = asio::ip::make_address(core_->config->address, ec);
  const asio::ip::tcp::endpoint endpoint(address, core_->config->port);
  Acceptor& a = core_->acceptor;
  if (!ec) a.open(endpoint.protocol(), ec);
  if (!ec) a.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec && core_->config->share_port) a.set_option(ReusePort(true), ec);
  if (!ec) a.bind(endpoint, ec);
  if (!ec) a.listen(kBacklog, ec);
  if (ec) {
    error = ec.message();
    return Errc::io;
  }
  core_->port = a.local_endpoint(ec).port();
  async::spawn(core_->executor, "accept", Core::accept_loop(core_));
  async::spawn(core_->executor, "sweep", Core::sweep_loop(core_));
  return {};
}

void Server::configure(ServerConfig config) {
  config.address = core_->config->address;
  config.port = core_->config->port;
  core_->config = std::make_shared<const ServerConfig>(std::move(config));
}

std::uint16_t Server::port() const noexcept { return core_->port; }
std::size_t Server::connections() const noexcept { return core_->sessions.size(); }

void Server::drain() {
  if (!std::exchange(core_->stopped, true)) core_->accept_rest();
  boost::system::error_code ignored;
  core_->acceptor.close(ignored);
  core_->accept_timer.cancel();
  const auto sessions = core_->sessions;  // drain() may end some of them
  for (const auto& s : sessions) s->drain();
}

void Server::close_all() {
  drain();
  const auto sessions = core_->sessions;
  for (const auto& s : sessions) s->close();
  core_->sweep_timer.cancel();
}

}  // namespace tanggul::beast
