#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "async/spawn.h"
#include "ports/database.h"
#include "registry/sql/values.h"

namespace tanggul::test {

// One fetch from a database, and what came of it.
struct DatabaseFetch : ports::ResponseSink {
  bool on_head(http::ResponseHead h, ports::BodyFraming, std::optional<ByteCount>) override {
    status = h.status;
    type = std::string(h.headers.find("content-type").value_or(""));
    return true;
  }
  bool on_data(std::string_view bytes) override {
    body += bytes;
    return true;
  }
  // "200 {…}", or the error's name.
  std::string told() const {
    if (end.error) return std::string(name(*end.error));
    return std::to_string(status) + " " + body.substr(0, body.find('\n'));
  }

  ports::OriginRequest request;
  ports::Cancellation cancel;
  int status = 0;
  std::string type, body;
  bool done = false;
  Duration took{};
  ports::FetchEnd end;
};
using DatabaseFetchPtr = std::shared_ptr<DatabaseFetch>;

// Fetches on an io_context of the test's own, which the test drives.
class DatabaseLoop {
 public:
  async::Executor executor() { return io_.get_executor(); }

  DatabaseFetchPtr start(ports::Database& database, registry::sql::Values values,
                         Duration deadline = 20s) {
    auto fetch = std::make_shared<DatabaseFetch>();
    fetch->request.target = registry::sql::write_values(values);
    fetch->request.deadline = MonoClock::now() + deadline;
    return start(database, fetch);
  }
  DatabaseFetchPtr start(ports::Database& database, DatabaseFetchPtr fetch) {
    async::spawn(executor(), "fetch", run(database, fetch));
    return fetch;
  }
  // Until the condition holds; bounded against hangs only.
  template <class Condition>
  bool until(Condition condition, Duration at_most = 60s) {
    const MonoTime end = MonoClock::now() + at_most;
    while (!condition() && MonoClock::now() < end) {
      if (io_.stopped()) io_.restart();
      io_.run_for(std::chrono::milliseconds(5));
    }
    return condition();
  }
  void finish(const std::vector<DatabaseFetchPtr>& fetches) {
    for (const auto& f : fetches) ASSERT_TRUE(until([&] { return f->done; })) << f->request.target;
  }
  std::string told(ports::Database& database, registry::sql::Values values,
                   Duration deadline = 20s) {
    const auto fetch = start(database, std::move(values), deadline);
    finish({fetch});
    return fetch->told();
  }

 private:
  static Task<void> run(ports::Database& database, DatabaseFetchPtr fetch) {
    const MonoTime began = MonoClock::now();
    fetch->end = co_await database.fetch(fetch->request, *fetch, fetch->cancel);
    fetch->took = MonoClock::now() - began;
    fetch->done = true;
  }

  async::asio::io_context io_{1};
};

}  // namespace tanggul::test
