#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>

#include "adapters/beast/server.h"
#include "adapters/curl/curl_origin.h"
#include "adapters/redis/redis_cluster.h"
#include "app/service/databases.h"
#include "app/service/listening.h"
#include "app/service/origins.h"
#include "shield/gate.h"
#include "shield/held_lease.h"
#include "shield/internal_paths.h"
#include "shield/local_cluster.h"
#include "shield/once.h"
#include "shield/outside.h"
#include "shield/peer_endpoint.h"
#include "shield/pipeline.h"

namespace tanggul::app {

// What the lanes share beside the shield.
struct Commons {
  Commons(shield::OnceConfig config, shield::Shield& shield, MetricSet& metrics)
      : once(std::move(config)),
        leases_lost(shield::leases_lost(metrics)),
        databases(shield, metrics) {}

  shield::LocalCluster alone;  // of a node that is in no cluster
  const shield::OnceConfig once;
  Counter& leases_lost;
  Databases databases;
  std::unique_ptr<redis::RedisCluster> redis;  // null: in none
  std::unique_ptr<shield::Cluster> cluster;    // likewise
};

// What one thread has to itself. The members end in the reverse of this order.
struct Lane {
  Lane(const Config& config, shield::Shield& shield, Commons& commons, beast::LogWriter& writer,
       std::size_t connections)
      : http(curl::make_curl_origin(io.get_executor())),
        origins(*http, commons.databases),
        shared(shared_of(commons, io.get_executor())),
        outside(outside_of(origins, shared, commons)),
        gate(shield, outside, io.get_executor()),
        once(shield, *shared.leases, *shared.store, outside, commons.once, commons.leases_lost),
        ours(shield, paths(shield, commons)),
        pipeline(shield, outside, io.get_executor(), &ours),
        log(log_format(config.access_log), writer),
        server(io.get_executor(), server_config(config, config.listen, connections), pipeline,
               &log) {}

  static redis::RedisLane shared_of(Commons& commons, async::Executor executor) {
    if (commons.redis) return commons.redis->lane(executor);
    return {commons.alone.leases(), commons.alone.store(), nullptr};
  }
  static shield::Outside outside_of(ports::Origin& origin, const redis::RedisLane& shared,
                                    const Commons& commons) {
    shield::Outside outside(origin);
    if (!commons.cluster) return outside;
    outside.leases = shared.leases.get();
    outside.store = shared.store.get();
    outside.limits = shared.limits.get();
    outside.cluster = commons.cluster.get();
    return outside;
  }
  shield::InternalPaths::Handlers paths(shield::Shield& shield, Commons& commons) {
    shield::InternalPaths::Handlers all{{"/.tanggul/gate/", &gate},
                                        {std::string(shield::kOncePath), &once}};
    if (!commons.cluster) return all;
    peer = std::make_unique<shield::PeerEndpoint>(shield, *commons.cluster);
    all.push_back({"/.tanggul/peer/", peer.get(),
                   [this](const ports::Call& call) { return peer->admits(call); }});
    return all;
  }

  boost::asio::io_context io{1};
  // Runs until it is stopped, also when its last connection has gone before the others'.
  boost::asio::executor_work_guard<async::Executor> work{io.get_executor()};
  std::unique_ptr<ports::Origin> http;
  Origins origins;
  redis::RedisLane shared;
  shield::Outside outside;
  shield::Gate gate;
  shield::Once once;
  std::unique_ptr<shield::PeerEndpoint> peer;  // null: in no cluster
  shield::InternalPaths ours;
  shield::Pipeline pipeline;
  beast::AccessLog log;
  beast::Server server;
};

}  // namespace tanggul::app
