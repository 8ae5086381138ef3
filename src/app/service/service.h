#pragma once

#include <atomic>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <vector>

#include "adapters/beast/log_writer.h"
#include "adapters/beast/tls_context.h"
#include "app/service/admin.h"
#include "app/service/lane.h"
#include "app/service/serve.h"

namespace tanggul::app {

// The running program: its threads, ports and signals. SIGTERM and SIGINT end it in order, SIGHUP
// reads the configuration again.
class Service {
 public:
  Service(Config config, ConfigLoader load, const ServiceNotify& notify);

  ~Service();

  int run();  // the exit status

 private:
  bool listen();
  void enter_cluster();
  void join_cluster();
  Task<void> announce_purges(std::vector<ports::SharedPurge> purges);
  void announce() const;
  void watch();
  std::string summary() const;
  Task<void> sample_loop();

  // --- reload ---
  Task<void> reload_loop();
  Task<void> reload();
  bool apply(Config config);
  void keep_what_needs_a_restart(Config& config) const;
  std::size_t connections_of_a_lane() const;

  // --- the end ---
  void stop();
  Task<void> drain();
  std::size_t busy() const;

  Config config_;
  const ConfigLoader load_;
  const ServiceNotify& notify_;
  MetricSet metrics_;
  shield::Shield shield_;
  Commons commons_;
  std::unique_ptr<ports::Membership> member_;  // null: in no cluster
  beast::LogWriter log_writer_;
  std::atomic<bool> draining_{false};
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<Admin> admin_;
  std::unique_ptr<beast::Server> admin_server_;
  std::unique_ptr<boost::asio::signal_set> stops_, reloads_;
};

}  // namespace tanggul::app
