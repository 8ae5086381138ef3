// Reading the configuration again while everything runs.
#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>

#include "app/service/service.h"
#include "base/bytes.h"
#include "base/log.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;

// All that is wrong, on one line: who watches a log sees it whole.
std::string one_line(const std::vector<std::string>& errors) {
  constexpr std::size_t kMost = 3;
  std::string line;
  for (std::size_t i = 0; i < std::min(errors.size(), kMost); ++i)
    line.append(i == 0 ? "" : "; ").append(printable(errors[i]));
  if (errors.size() > kMost) line += fmt::format("; and {} more", errors.size() - kMost);
  return line;
}

}  // namespace

Task<void> Service::reload_loop() {
  for (;;) {
    const auto [error, number] = co_await reloads_->async_wait(asio::as_tuple(async::use_task));
    if (error) co_return;
    if (draining_.load()) continue;
    notify_.reloading();
    co_await reload();
    if (!draining_.load()) notify_.ready(summary());
  }
}

// The file is read away from the loops. Either all of it takes effect or nothing.
Task<void> Service::reload() {
  LoadedConfig loaded;
  co_await shield_.offload().run([&] { loaded = load_(); });
  if (draining_.load()) co_return;  // told to stop meanwhile
  if (!loaded.config) {
    log::error("the configuration stays as it was: {}", one_line(loaded.errors));
    co_return;
  }
  for (const std::string& warning : loaded.config->warnings) log::warn("{}", warning);
  if (apply(std::move(*loaded.config)))
    log::info("the configuration was read again: {}", summary());
}

// Names what only a restart changes, and goes on with what there is.
void Service::keep_what_needs_a_restart(Config& config) const {
  std::string changed;
  const auto keep = [&](std::string_view key, auto& wanted, const auto& running) {
    if (wanted == running) return;
    changed.append(changed.empty() ? "" : ", ").append(key);
    wanted = running;
  };
  keep("listen", config.listen, config_.listen);
  keep("admin", config.admin, config_.admin);
  keep("admin_token_env", config.admin_token_env, config_.admin_token_env);
  keep("once_token_env", config.once_token_env, config_.once_token_env);
  keep("data_dir", config.data_dir, config_.data_dir);
  keep("threads", config.threads, config_.threads);
  keep("cluster", config.cluster, config_.cluster);
  keep("cache.sync", config.cache_sync, config_.cache_sync);
  if ((config.shield.disk == 0) != (config_.shield.disk == 0))
    keep("cache.disk to or from 0", config.shield.disk, config_.shield.disk);
  config.shield.spool_directory = config_.shield.spool_directory;
  if (!changed.empty()) log::warn("only a restart changes {}; the rest takes effect", changed);
}

bool Service::apply(Config config) {
  keep_what_needs_a_restart(config);
  std::shared_ptr<beast::TlsContext> tls;
  if (!config.tls.cert.empty()) {
    std::string error;
    const auto loaded = beast::TlsContext::load(config.tls.cert, config.tls.key, error);
    if (!loaded) {
      log::error("the configuration stays as it was: cannot speak TLS: {}", error);
      return false;
    }
    tls = *loaded;
  }
  config_ = std::move(config);
  // Before anybody asks for the new ones; who is on the way to the old ones has them still.
  commons_.databases.adopt(config_, lanes_.front()->io.get_executor());
  shield::ShieldConfig shield = config_.shield;
  shield.own_url = own_url(config_);
  shield_.configure(std::move(shield));
  const shield::RoutesPtr routes = shield_.routes();
  const auto listen = std::make_shared<const beast::ServerConfig>(
      server_config(config_, config_.listen, connections_of_a_lane()));
  const beast::LogFormat format = log_format(config_.access_log);
  for (const auto& lane : lanes_)
    asio::post(lane->io, [&lane = *lane, routes, listen, tls, format] {
      lane.pipeline.adopt(routes);
      lane.server.configure(*listen);
      lane.server.set_tls(tls);
      lane.log.set_format(format);
    });
  admin_server_->configure(server_config(config_, config_.admin, connections_of_a_lane()));
  return true;
}

}  // namespace tanggul::app
