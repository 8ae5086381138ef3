#pragma once

#include "app/service/databases.h"
#include "ports/origin.h"

namespace tanggul::app {

// One thread's way to every origin, by the scheme of its address: databases, and servers that speak
// HTTP.
class Origins final : public ports::Origin {
 public:
  Origins(ports::Origin& http, const Databases& databases) : http_(http), databases_(databases) {}

  Task<ports::FetchEnd> fetch(const ports::OriginRequest& request, ports::ResponseSink& sink,
                              ports::Cancellation& cancel) override {
    if (!request.base.starts_with("sql:")) return http_.fetch(request, sink, cancel);
    return ask(databases_.find(request.base), request, sink, cancel);
  }

 private:
  static Task<ports::FetchEnd> ask(std::shared_ptr<ports::Database> database,
                                   const ports::OriginRequest& request, ports::ResponseSink& sink,
                                   ports::Cancellation& cancel) {
    if (database) co_return co_await database->fetch(request, sink, cancel);
    ports::FetchEnd end;
    end.error = Errc::refused;
    end.detail = "the configuration has this database no more";
    co_return end;
  }

  ports::Origin& http_;
  const Databases& databases_;
};

}  // namespace tanggul::app
