#include "app/service/service.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <csignal>
#include <thread>

#include "app/service/watchdog.h"
#include "app/version.h"
#include "async/spawn.h"
#include "base/log.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;

// What a stop takes beside the `shutdown` that it grants to requests.
constexpr Duration kEndOfStop = 15s;
// For the last words to the cluster.
constexpr Duration kToLeave = 50ms;
// For databases to end the queries that they were told to.
constexpr Duration kToCancel = 500ms;

AdminGuard guard_of(const Config& config) {
  AdminGuard guard;
  guard.host = host_of(config.admin);
  guard.loopback = is_loopback(config.admin);
  if (!config.admin_token_env.empty())
    if (const char* token = std::getenv(config.admin_token_env.c_str())) guard.token = token;
  return guard;
}

shield::OnceConfig once_config(const Config& config) {
  shield::OnceConfig once;
  if (!config.once_token_env.empty())
    if (const char* token = std::getenv(config.once_token_env.c_str())) once.token = token;
  return once;
}

shield::ShieldConfig shield_config(const Config& config) {
  shield::ShieldConfig c = config.shield;
  c.own_url = own_url(config);
  c.files = std::max<std::size_t>(16, file_limit() / 4);
  c.sync = config.cache_sync == CacheSync::data;
  c.cache_directory = config.data_dir + "/cache";
  return c;
}

}  // namespace

Service::Service(Config config, ConfigLoader load, const ServiceNotify& notify)
    : config_(std::move(config)),
      load_(std::move(load)),
      notify_(notify),
      shield_(shield_config(config_), metrics_),
      commons_(once_config(config_), shield_, metrics_) {
  enter_cluster();
}

// What is of the cluster goes while the loops that it lives on are there, however far a start came.
Service::~Service() {
  commons_.databases.clear();
  if (commons_.redis) commons_.redis->close();
  if (commons_.cluster) commons_.cluster->end();
  member_.reset();
  commons_.alone.forget_watchers();
}

// The lanes' connections come with the lanes; nothing waits for the others here.
void Service::enter_cluster() {
  const ClusterSettings& settings = config_.cluster;
  if (settings.redis.empty()) return;
  redis::RedisConfig redis;
  redis.address = settings.address;
  redis.prefix = settings.prefix;
  redis.node = settings.node;
  redis.memory = settings.memory;
  commons_.redis = redis::RedisCluster::make(std::move(redis), metrics_);
  shield::ClusterConfig cluster;
  cluster.node = settings.node;
  cluster.advertise = settings.advertise;
  cluster.secret = settings.secret;
  cluster.ca = settings.ca;
  cluster.place_file = config_.data_dir + "/cluster";
  cluster.untold_file = config_.data_dir + "/cluster-untold";
  commons_.cluster = std::make_unique<shield::Cluster>(shield_, std::move(cluster), metrics_);
}

// What this node purges is told by the first loop, whichever thread has purged it.
void Service::join_cluster() {
  if (!commons_.cluster) return;
  const async::Executor executor = lanes_.front()->io.get_executor();
  member_ = commons_.redis->join(executor, *commons_.cluster);
  commons_.cluster->announce_by(
      {.purges =
           [this, executor](std::vector<ports::SharedPurge> purges) {
             async::spawn(executor, "announce", announce_purges(std::move(purges)));
           },
       .pauses_ended =
           [this, executor](const std::string& origin) {
             asio::post(executor, [this, origin] { member_->end_pauses(origin); });
           }});
}

Task<void> Service::announce_purges(std::vector<ports::SharedPurge> purges) {
  const bool told = co_await member_->purge(std::move(purges));
  if (!told) log::warn("a purge could not be told to the other nodes; they hear of it later");
}

std::size_t Service::connections_of_a_lane() const {
  const std::size_t most = std::min(config_.client.connections, file_limit() * 9 / 10);
  return std::max<std::size_t>(1, most / config_.threads);
}

bool Service::listen() {
  for (unsigned i = 0; i < config_.threads; ++i)
    lanes_.push_back(
        std::make_unique<Lane>(config_, shield_, commons_, log_writer_, connections_of_a_lane()));
  Lane& first = *lanes_.front();
  commons_.databases.adopt(config_, first.io.get_executor());
  // Before anybody can send one: a reload that comes early must not end the process.
  stops_ = std::make_unique<asio::signal_set>(first.io, SIGTERM, SIGINT);
  reloads_ = std::make_unique<asio::signal_set>(first.io, SIGHUP);
  std::string error;
  if (!config_.tls.cert.empty()) {
    const auto tls = beast::TlsContext::load(config_.tls.cert, config_.tls.key, error);
    if (!tls) {
      log::error("cannot speak TLS: {}", error);
      return false;
    }
    for (const auto& lane : lanes_) lane->server.set_tls(*tls);
  }
  const auto cannot = [&](const std::string& address) {
    log::error("cannot listen on {}: {}; --listen and --admin name other addresses", address,
               error);
    return false;
  };
  if (taken(config_.listen, error)) return cannot(config_.listen);
  for (const auto& lane : lanes_)
    if (!lane->server.listen(error)) return cannot(config_.listen);
  if (taken(config_.admin, error)) return cannot(config_.admin);
  admin_ = std::make_unique<Admin>(shield_, metrics_, draining_, first.gate, commons_.cluster.get(),
                                   guard_of(config_));
  admin_server_ = std::make_unique<beast::Server>(
      first.io.get_executor(), server_config(config_, config_.admin, connections_of_a_lane()),
      *admin_, nullptr);
  return admin_server_->listen(error) ? true : cannot(config_.admin);
}

void Service::announce() const {
  log::info("tanggul {} on {}{} with {} threads, admin on http://{}", kVersion, scheme(config_),
            config_.listen, config_.threads, config_.admin);
  for (const auto& up : shield_.routes()->upstreams) {
    const auto& origin = up->config();
    const std::string here = scheme(config_) + config_.listen + origin.written_mount();
    log::info("{} is mounted at {}", origin.name, here);
    if (const std::string line = origin.kind->client_line(here); !line.empty())
      log::info("  point a client there: {}", line);
  }
}

std::string Service::summary() const {
  return fmt::format("serving {} origins on {}{}", config_.shield.origins.size(), scheme(config_),
                     config_.listen);
}

// From within the first loop: the manager hears of a service that answers.
void Service::watch() {
  std::vector<async::Executor> loops;
  loops.reserve(lanes_.size());
  for (const auto& lane : lanes_) loops.push_back(lane->io.get_executor());
  watch_loops(notify_, loops);
  asio::post(loops.front(), [this] { notify_.ready(summary()); });
}

// What is told of the last minutes is made from these samples.
Task<void> Service::sample_loop() {
  const async::WaiterPtr waiter = async::Waiter::make(lanes_.front()->io.get_executor());
  for (;;) {
    shield_.sample(MonoClock::now());
    commons_.databases.tidy(MonoClock::now());
    const MonoTime next = MonoClock::now() + 1s;
    while (MonoClock::now() < next) co_await waiter->wait_until(next);
  }
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
  stops_->async_wait([this](const auto& error, int) {
    if (!error) stop();
  });
  async::spawn(main_io.get_executor(), "reload", reload_loop());
  async::spawn(main_io.get_executor(), "sample", sample_loop());
  join_cluster();
  announce();
  watch();
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < lanes_.size(); ++i)
    threads.emplace_back([&lane = *lanes_[i]] { lane.io.run(); });
  main_io.run();
  for (auto& t : threads) t.join();
  if (commons_.cluster) commons_.cluster->end();
  shield_.finish();
  log::info("stopped");
  return 0;
}

void Service::stop() {
  log::info("stopping: no new connections, {} s at most for what runs",
            std::chrono::duration_cast<std::chrono::seconds>(config_.shutdown).count());
  notify_.stopping("finishing what runs", config_.shutdown + kEndOfStop);
  draining_.store(true);
  shield_.drain();
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
  // Queries that nobody waits for are cancelled, and databases told of the end.
  commons_.databases.close();
  if (commons_.redis) commons_.redis->close();
  const MonoTime leave = MonoClock::now() + kToLeave;
  while (MonoClock::now() < leave ||
         (commons_.databases.busy() && MonoClock::now() < leave + kToCancel))
    co_await waiter->wait_until(MonoClock::now() + 10ms);
  for (const auto& lane : lanes_)
    asio::post(lane->io, [&lane = *lane] {
      lane.server.close_all();
      lane.io.stop();
    });
}

}  // namespace tanggul::app
