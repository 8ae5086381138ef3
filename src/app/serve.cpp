#include "app/serve.h"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <thread>

#include "adapters/beast/server.h"
#include "adapters/curl/curl_origin.h"
#include "app/admin.h"
#include "app/data_directory.h"
#include "app/version.h"
#include "app/watchdog.h"
#include "async/spawn.h"
#include "base/log.h"
#include "shield/pipeline.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;

// What a stop takes beside the `shutdown` that it grants to requests.
constexpr Duration kEndOfStop = 15s;

// Every connection is a file, and so is every fetch that spools: the soft limit is no use to
// anybody.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t file_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::size_t>(limit.rlim_cur) : 1024;
}

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};

HostPort split(const std::string& address) {  // the configuration has made sure of its form
  const auto colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  return {host, static_cast<std::uint16_t>(*parse_decimal(address.substr(colon + 1)))};
}

beast::ServerConfig server_config(const Config& config, const std::string& address,
                                  std::size_t connections) {
  beast::ServerConfig c;
  const HostPort at = split(address);
  c.address = at.host;
  c.port = at.port;
  c.header = config.client.header;
  c.idle = config.client.idle;
  c.stall = config.client.stall;
  c.serve_half_closed = config.client.half_close == HalfClose::serve;
  c.connections = connections;
  c.limits.body = 0;
  for (const auto& origin : config.shield.origins)
    c.limits.body = std::max(c.limits.body, origin.max_body);
  if (auto trusted = beast::TrustedProxies::parse(config.trusted_proxies))
    c.trusted = std::move(*trusted);
  return c;
}

// Whether somebody listens there already. The lanes share their port (SO_REUSEPORT), and so would a
// second shield, which then took part of the first one's clients unnoticed.
bool taken(const std::string& address, std::string& error) {
  const HostPort at = split(address);
  boost::system::error_code ec;
  const auto ip = asio::ip::make_address(at.host, ec);
  if (ec) {
    error = "the host must be an IP address or localhost";
    return true;
  }
  asio::io_context io;
  asio::ip::tcp::acceptor probe(io);
  const asio::ip::tcp::endpoint endpoint(ip, at.port);
  probe.open(endpoint.protocol(), ec);
  if (!ec) probe.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec) probe.bind(endpoint, ec);
  if (!ec) probe.listen(1, ec);
  error = ec.message();
  return ec.failed();
}

beast::LogFormat log_format(AccessLog log) {
  switch (log) {
    case AccessLog::text:
      return beast::LogFormat::text;
    case AccessLog::json:
      return beast::LogFormat::json;
    case AccessLog::off:
      return beast::LogFormat::off;
  }
  return beast::LogFormat::text;
}

// What one thread has to itself. The members end in the reverse of this order.
struct Lane {
  Lane(const Config& config, shield::Shield& shield, beast::LogWriter& writer,
       std::size_t connections)
      : origin(curl::make_curl_origin(io.get_executor())),
        pipeline(shield, *origin, io.get_executor()),
        log(log_format(config.access_log), writer),
        server(io.get_executor(), server_config(config, config.listen, connections), pipeline,
               config.access_log == AccessLog::off ? nullptr : &log) {}

  asio::io_context io{1};
  // Runs until it is stopped, also when its last connection has gone before the others'.
  asio::executor_work_guard<async::Executor> work{io.get_executor()};
  std::unique_ptr<ports::Origin> origin;
  shield::Pipeline pipeline;
  beast::AccessLog log;
  beast::Server server;
};

AdminGuard guard_of(const Config& config) {
  AdminGuard guard;
  guard.host = split(config.admin).host;
  boost::system::error_code error;
  const auto address = asio::ip::make_address(guard.host, error);
  guard.loopback = !error && address.is_loopback();
  if (!config.admin_token_env.empty())
    if (const char* token = std::getenv(config.admin_token_env.c_str())) guard.token = token;
  return guard;
}

// An address of ours that a client can use: a wildcard is none.
std::string own_url(const std::string& listen) {
  const HostPort at = split(listen);
  if (at.host != "0.0.0.0" && at.host != "::") return "http://" + listen;
  char name[256] = "localhost";
  ::gethostname(name, sizeof name - 1);
  return "http://" + std::string(name) + ":" + std::to_string(at.port);
}

shield::ShieldConfig shield_config(const Config& config) {
  shield::ShieldConfig c = config.shield;
  c.own_url = own_url(config.listen);
  c.files = std::max<std::size_t>(16, file_limit() / 4);
  return c;
}

class Service {
 public:
  Service(const Config& config, const ServiceNotify& notify)
      : config_(config),
        notify_(notify),
        shield_(shield_config(config), metrics_),
        admin_(shield_, metrics_, draining_, guard_of(config)) {}

  int run();

 private:
  bool listen();
  void announce() const;
  void watch();
  void stop();
  Task<void> drain();
  std::size_t busy() const;

  const Config& config_;
  const ServiceNotify& notify_;
  MetricSet metrics_;
  shield::Shield shield_;
  beast::LogWriter log_writer_;
  std::atomic<bool> draining_{false};
  Admin admin_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<beast::Server> admin_server_;
};

bool Service::listen() {
  const std::size_t most = std::min(config_.client.connections, file_limit() * 9 / 10);
  for (unsigned i = 0; i < config_.threads; ++i)
    lanes_.push_back(std::make_unique<Lane>(config_, shield_, log_writer_,
                                            std::max<std::size_t>(1, most / config_.threads)));
  std::string error;
  if (taken(config_.listen, error)) {
    log::error("cannot listen on {}: {}", config_.listen, error);
    return false;
  }
  for (const auto& lane : lanes_)
    if (!lane->server.listen(error)) {
      log::error("cannot listen on {}: {}", config_.listen, error);
      return false;
    }
  if (taken(config_.admin, error)) {
    log::error("cannot listen on {}: {}", config_.admin, error);
    return false;
  }
  admin_server_ =
      std::make_unique<beast::Server>(lanes_.front()->io.get_executor(),
                                      server_config(config_, config_.admin, 256), admin_, nullptr);
  if (!admin_server_->listen(error)) {
    log::error("cannot listen on {}: {}", config_.admin, error);
    return false;
  }
  return true;
}

void Service::announce() const {
  log::info("tanggul {} on http://{} with {} threads, admin on http://{}", kVersion, config_.listen,
            config_.threads, config_.admin);
  for (const auto& up : shield_.upstreams()) {
    const auto& origin = up->config();
    const std::string here = "http://" + config_.listen + origin.mount;
    log::info("{} is mounted at {}", origin.name, here);
    if (const std::string line = origin.kind->client_line(here); !line.empty())
      log::info("  point a client there: {}", line);
  }
}

// From within the first loop: the manager hears of a service that answers.
void Service::watch() {
  std::vector<async::Executor> loops;
  loops.reserve(lanes_.size());
  for (const auto& lane : lanes_) loops.push_back(lane->io.get_executor());
  watch_loops(notify_, loops);
  asio::post(loops.front(), [this] {
    notify_.ready(
        fmt::format("serving {} origins on http://{}", shield_.upstreams().size(), config_.listen));
  });
}

int Service::run() {
  metrics_
      .gauge("tanggul_build_info", "What runs here",
             {{"version", std::string(kVersion)}, {"track", "stable"}, {"release", ""}})
      .set(1);
  metrics_.counter_fn("tanggul_uncaught_total", "Exceptions that ended a session: bugs", {},
                      [] { return static_cast<double>(async::uncaught_total()); });
  if (!listen()) return 1;
  asio::io_context& main_io = lanes_.front()->io;
  asio::signal_set signals(main_io, SIGTERM, SIGINT);
  signals.async_wait([this](const auto& error, int) {
    if (!error) stop();
  });
  announce();
  watch();
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < lanes_.size(); ++i)
    threads.emplace_back([&lane = *lanes_[i]] { lane.io.run(); });
  main_io.run();
  for (auto& t : threads) t.join();
  shield_.offload().finish();
  log::info("stopped");
  return 0;
}

void Service::stop() {
  log::info("stopping: no new connections, {} s at most for what runs",
            std::chrono::duration_cast<std::chrono::seconds>(config_.shutdown).count());
  notify_.stopping("finishing what runs", config_.shutdown + kEndOfStop);
  draining_.store(true);
  async::spawn(lanes_.front()->io.get_executor(), "drain", drain());
}

std::size_t Service::busy() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, shield_.tasks().running()));
}

Task<void> Service::drain() {
  const async::Executor executor = lanes_.front()->io.get_executor();
  const async::WaiterPtr waiter = async::Waiter::make(executor);
  const MonoTime end = MonoClock::now() + config_.shutdown;
  auto open = std::make_shared<std::vector<std::atomic<std::size_t>>>(lanes_.size());
  for (auto& o : *open) o = 1;
  for (const auto& lane : lanes_) asio::post(lane->io, [&lane = *lane] { lane.server.drain(); });
  for (;;) {
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      asio::post(lanes_[i]->io,
                 [&lane = *lanes_[i], open, i] { (*open)[i] = lane.server.connections(); });
    const MonoTime now = MonoClock::now();
    co_await waiter->wait_until(std::min(end, now + 50ms));
    std::size_t connections = 0;
    for (const auto& o : *open) connections += o;
    if ((connections == 0 && busy() == 0) || MonoClock::now() >= end) break;
  }
  for (const auto& lane : lanes_)
    asio::post(lane->io, [&lane = *lane] {
      lane.server.close_all();
      lane.io.stop();
    });
}

}  // namespace

int serve(const Config& config, const ServiceNotify& notify) try {
  std::signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  std::string error;
  const auto directory = DataDirectory::open(config.data_dir, error);
  if (!directory) {
    log::error("{}", error);
    return 1;
  }
  Service service(config, notify);
  return service.run();
} catch (const std::exception& e) {
  log::error("cannot start: {}", e.what());
  return 1;
}

}  // namespace tanggul::app
