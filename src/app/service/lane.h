#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>

#include "adapters/beast/server.h"
#include "adapters/curl/curl_origin.h"
#include "app/service/listening.h"
#include "shield/gate.h"
#include "shield/pipeline.h"

namespace tanggul::app {

// What one thread has to itself. The members end in the reverse of this order.
struct Lane {
  Lane(const Config& config, shield::Shield& shield, beast::LogWriter& writer,
       std::size_t connections)
      : origin(curl::make_curl_origin(io.get_executor())),
        gate(shield, *origin, io.get_executor()),
        pipeline(shield, *origin, io.get_executor(), &gate),
        log(log_format(config.access_log), writer),
        server(io.get_executor(), server_config(config, config.listen, connections), pipeline,
               &log) {}

  boost::asio::io_context io{1};
  // Runs until it is stopped, also when its last connection has gone before the others'.
  boost::asio::executor_work_guard<async::Executor> work{io.get_executor()};
  std::unique_ptr<ports::Origin> origin;
  shield::Gate gate;
  shield::Pipeline pipeline;
  beast::AccessLog log;
  beast::Server server;
};

}  // namespace tanggul::app
