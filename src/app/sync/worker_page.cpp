#include "app/sync/worker_page.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>
#include <utility>

#include "adapters/beast/server.h"
#include "adapters/prometheus/exposition.h"
#include "ports/handler.h"
#include "ports/plain_reply.h"

namespace tanggul::app {
namespace {

class Pages final : public ports::Handler {
 public:
  Pages(const MetricSet& metrics, const sync::Drain& drain) : metrics_(metrics), drain_(drain) {}

  bool answer_now(ports::Call& call, ports::Reply& reply) override {
    const std::string_view path = call.head.target.substr(0, call.head.target.find('?'));
    reply.head_only = call.head.method == "HEAD";
    if (call.head.method != "GET" && !reply.head_only)
      ports::reply_with(reply, 405, "text/plain", "GET and HEAD only\n");
    else if (path == "/metrics")
      ports::reply_with(reply, 200, prometheus_text::kContentType,
                        prometheus_text::expose(metrics_));
    else if (path == "/healthz" && drain_.begun())
      ports::reply_with(reply, 503, "text/plain", "draining\n");
    else if (path == "/healthz")
      ports::reply_with(reply, 200, "text/plain", "ok\n");
    else
      ports::reply_with(reply, 404, "text/plain", "/metrics /healthz\n");
    return true;
  }
  Task<void> answer(ports::Call&, ports::Reply&) override { co_return; }
  void finished(const ports::Call&, const ports::Reply&, ByteCount, ports::Sent) override {}

 private:
  const MetricSet& metrics_;
  const sync::Drain& drain_;
};

}  // namespace

struct WorkerPage::Core {
  Core(const std::string& host, std::uint16_t at, const MetricSet& metrics,
       const sync::Drain& drain)
      : pages(metrics, drain),
        server(io.get_executor(),
               {.address = host, .port = at, .connections = 64, .share_port = false}, pages,
               nullptr) {}
  ~Core() {
    io.stop();
    if (thread.joinable()) thread.join();
  }

  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<async::Executor> work{io.get_executor()};
  Pages pages;
  beast::Server server;
  std::thread thread;
};

std::unique_ptr<WorkerPage> WorkerPage::open(const std::string& host, std::uint16_t port,
                                             const MetricSet& metrics, const sync::Drain& drain,
                                             std::string& error) {
  auto core = std::make_unique<Core>(host, port, metrics, drain);
  if (!core->server.listen(error)) return nullptr;
  core->thread = std::thread([&io = core->io] { io.run(); });
  return std::unique_ptr<WorkerPage>(new WorkerPage(std::move(core)));
}

WorkerPage::WorkerPage(std::unique_ptr<Core> core) : core_(std::move(core)) {}
WorkerPage::~WorkerPage() = default;
std::uint16_t WorkerPage::port() const { return core_->server.port(); }

}  // namespace tanggul::app
