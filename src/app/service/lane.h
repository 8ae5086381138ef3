#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>

#include "adapters/beast/server.h"
#include "adapters/curl/curl_origin.h"
#include "app/service/listening.h"
#include "shield/gate.h"
#include "shield/internal_paths.h"
#include "shield/local_cluster.h"
#include "shield/once.h"
#include "shield/pipeline.h"

namespace tanggul::app {

// What the lanes share beside the shield.
struct Commons {
  Commons(shield::OnceConfig config, MetricSet& metrics)
      : once(std::move(config)), leases_lost(shield::leases_lost(metrics)) {}

  shield::LocalCluster cluster;
  const shield::OnceConfig once;
  Counter& leases_lost;
};

// What one thread has to itself. The members end in the reverse of this order.
struct Lane {
  Lane(const Config& config, shield::Shield& shield, Commons& commons, beast::LogWriter& writer,
       std::size_t connections)
      : origin(curl::make_curl_origin(io.get_executor())),
        leases(commons.cluster.leases()),
        store(commons.cluster.store()),
        gate(shield, *origin, io.get_executor()),
        once(shield, *leases, *store, commons.once, commons.leases_lost),
        ours(shield, {{"/.tanggul/gate/", &gate}, {std::string(shield::kOncePath), &once}}),
        pipeline(shield, *origin, io.get_executor(), &ours),
        log(log_format(config.access_log), writer),
        server(io.get_executor(), server_config(config, config.listen, connections), pipeline,
               &log) {}

  boost::asio::io_context io{1};
  // Runs until it is stopped, also when its last connection has gone before the others'.
  boost::asio::executor_work_guard<async::Executor> work{io.get_executor()};
  std::unique_ptr<ports::Origin> origin;
  std::unique_ptr<ports::Leases> leases;
  std::unique_ptr<ports::SharedStore> store;
  shield::Gate gate;
  shield::Once once;
  shield::InternalPaths ours;
  shield::Pipeline pipeline;
  beast::AccessLog log;
  beast::Server server;
};

}  // namespace tanggul::app
