#include "support/scripted_origin.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include "async/spawn.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "base/mutex.h"
#include "support/origin_answer.h"
#include "support/wire.h"

namespace tanggul::test {
namespace {

using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, async::Executor>;

constexpr std::size_t kMaxSeen = 10'000;
constexpr std::size_t kMaxBodyKept = 64 * 1024;

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

struct Counts {
  std::uint64_t requests = 0, connections = 0, open = 0, in_progress = 0, max_concurrent = 0;
  std::map<std::string, std::uint64_t, std::less<>> by_path;
  std::vector<SeenRequest> seen;
};

}  // namespace

struct ScriptedOrigin::Core {
  void listen();
  void run_on_thread(const std::function<void()>& work);
  Task<void> accept_all();
  Task<void> serve(std::shared_ptr<Wire> wire, std::uint64_t number);
  Task<bool> serve_one(Wire& wire, std::uint64_t number);
  Task<void> read_body(Wire& wire, SeenRequest& request);
  Script script_for(const SeenRequest& request);
  void begin(const SeenRequest& request);
  void end();
  void record(const SeenRequest& request);

  asio::io_context io{1};
  Acceptor acceptor{io.get_executor()};
  std::set<std::shared_ptr<Wire>> wires;  // touched on the thread only
  std::string address;
  std::uint16_t port = 0;

  mutable Mutex mutex;
  Counts counts GUARDED_BY(mutex);
  std::map<std::string, Script, std::less<>> exact GUARDED_BY(mutex);
  std::map<std::string, Script, std::less<>> prefixes GUARDED_BY(mutex);
  Script by_default GUARDED_BY(mutex);

  std::thread thread;
};

void ScriptedOrigin::Core::listen() {
  const asio::ip::tcp::endpoint at(asio::ip::make_address(address), port);
  acceptor.open(at.protocol());
  acceptor.set_option(asio::socket_base::reuse_address(true));
  acceptor.bind(at);
  acceptor.listen(4096);
  port = acceptor.local_endpoint().port();
  async::spawn(io.get_executor(), "origin accept", accept_all());
}

void ScriptedOrigin::Core::run_on_thread(const std::function<void()>& work) {
  std::packaged_task<void()> task(work);
  std::future<void> done = task.get_future();
  asio::post(io, [&task] { task(); });
  done.get();
}

Task<void> ScriptedOrigin::Core::accept_all() {
  while (acceptor.is_open()) {
    auto [ec, socket] = co_await acceptor.async_accept(asio::as_tuple(async::use_task));
    if (ec) continue;
    error_code ignored;
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    auto wire = std::make_shared<Wire>(std::move(socket));
    std::uint64_t number = 0;
    {
      const Lock lock(mutex);
      number = ++counts.connections;
      ++counts.open;
    }
    wires.insert(wire);
    async::spawn(io.get_executor(), "origin connection", serve(std::move(wire), number));
  }
}

Task<void> ScriptedOrigin::Core::serve(std::shared_ptr<Wire> wire, std::uint64_t number) {
  while (co_await serve_one(*wire, number)) {
  }
  wire->close();
  wires.erase(wire);
  const Lock lock(mutex);
  --counts.open;
}

Task<bool> ScriptedOrigin::Core::serve_one(Wire& wire, std::uint64_t number) {
  std::string head;
  if (co_await wire.read_head(head)) co_return false;
  ParsedHead parsed = parse_head(head);
  SeenRequest request;
  request.method = std::move(parsed.first);
  request.target = std::move(parsed.second);
  request.headers = std::move(parsed.headers);
  request.connection = number;
  begin(request);
  Script script = script_for(request);
  bool keep = false, counted = true;
  const auto last = [&] {
    if (std::exchange(counted, false)) end();
  };
  if (script.early) {
    request.body_complete = false;
    record(request);
    co_await answer(wire, script, request, last);
    error_code ignored;
    wire.socket.shutdown(Socket::shutdown_send, ignored);
    co_await wire.read_to_end([](std::string_view) {});  // a lingering close, as servers do
  } else if (script.fault == Fault::reset_before_head) {
    record(request);
    wire.reset();
  } else {
    wire.read_rate = script.upload_bytes_per_second;
    co_await read_body(wire, request);
    wire.read_rate = 0;
    record(request);
    while (script.dynamic) script = script.dynamic(request);
    keep = co_await answer(wire, script, request, last) && request.body_complete;
  }
  last();
  const std::string connection = to_lower(request.headers.joined("connection"));
  co_return keep&& connection.find("close") == std::string::npos;
}

Task<void> ScriptedOrigin::Core::read_body(Wire& wire, SeenRequest& request) {
  Digest digest(DigestKind::sha256);
  const Bytes take = [&](std::string_view bytes) {
    digest.update(bytes);
    request.body_size += bytes.size();
    request.body += bytes.substr(0, kMaxBodyKept - std::min(kMaxBodyKept, request.body.size()));
  };
  error_code ec;
  if (request.headers.has("transfer-encoding")) {
    ec = co_await wire.read_chunked(take);
  } else if (const auto length = request.headers.find("content-length")) {
    ec = co_await wire.read_exactly(parse_decimal(*length).value_or(0), take);
  }
  request.body_complete = !ec;
  if (request.body_size > 0) request.body_sha256 = to_hex(digest.finish());
}

Script ScriptedOrigin::Core::script_for(const SeenRequest& request) {
  const Lock lock(mutex);
  if (const auto it = exact.find(request.target); it != exact.end()) return it->second;
  const std::string_view path = path_of(request.target);
  if (const auto it = exact.find(path); it != exact.end()) return it->second;
  const Script* best = &by_default;
  std::size_t length = 0;
  for (const auto& [prefix, script] : prefixes) {
    if (prefix.size() >= length && request.target.starts_with(prefix)) {
      best = &script;
      length = prefix.size();
    }
  }
  return *best;
}

void ScriptedOrigin::Core::begin(const SeenRequest& request) {
  const Lock lock(mutex);
  ++counts.requests;
  ++counts.by_path[std::string(path_of(request.target))];
  counts.max_concurrent = std::max(counts.max_concurrent, ++counts.in_progress);
}

void ScriptedOrigin::Core::end() {
  const Lock lock(mutex);
  --counts.in_progress;
}

void ScriptedOrigin::Core::record(const SeenRequest& request) {
  const Lock lock(mutex);
  if (counts.seen.size() < kMaxSeen) counts.seen.push_back(request);
}

ScriptedOrigin::ScriptedOrigin(Script by_default, std::string address)
    : core_(std::make_unique<Core>()) {
  raise_file_limit();
  set_default(std::move(by_default));
  core_->address = std::move(address);
  core_->listen();
  core_->thread = std::thread([core = core_.get()] {
    const auto work = asio::make_work_guard(core->io);
    core->io.run();
  });
}

ScriptedOrigin::~ScriptedOrigin() {
  core_->io.stop();
  core_->thread.join();
}

std::uint16_t ScriptedOrigin::port() const noexcept { return core_->port; }
std::string ScriptedOrigin::url() const {
  return "http://" + core_->address + ":" + std::to_string(port());
}

void ScriptedOrigin::set(std::string path, Script script) {
  const Lock lock(core_->mutex);
  core_->exact.insert_or_assign(std::move(path), std::move(script));
}
void ScriptedOrigin::set_prefix(std::string prefix, Script script) {
  const Lock lock(core_->mutex);
  core_->prefixes.insert_or_assign(std::move(prefix), std::move(script));
}
void ScriptedOrigin::set_default(Script script) {
  const Lock lock(core_->mutex);
  core_->by_default = std::move(script);
}

std::uint64_t ScriptedOrigin::requests() const {
  const Lock lock(core_->mutex);
  return core_->counts.requests;
}
std::uint64_t ScriptedOrigin::requests(std::string_view path) const {
  const Lock lock(core_->mutex);
  const auto it = core_->counts.by_path.find(path);
  return it == core_->counts.by_path.end() ? 0 : it->second;
}
std::uint64_t ScriptedOrigin::connections() const {
  const Lock lock(core_->mutex);
  return core_->counts.connections;
}
std::uint64_t ScriptedOrigin::open_connections() const {
  const Lock lock(core_->mutex);
  return core_->counts.open;
}
std::uint64_t ScriptedOrigin::in_progress() const {
  const Lock lock(core_->mutex);
  return core_->counts.in_progress;
}
std::uint64_t ScriptedOrigin::max_concurrent() const {
  const Lock lock(core_->mutex);
  return core_->counts.max_concurrent;
}
std::vector<SeenRequest> ScriptedOrigin::seen() const {
  const Lock lock(core_->mutex);
  return core_->counts.seen;
}
void ScriptedOrigin::reset_counts() {
  const Lock lock(core_->mutex);
  Counts& c = core_->counts;
  c.requests = c.connections = 0;
  c.max_concurrent = c.in_progress;
  c.by_path.clear();
  c.seen.clear();
}

void ScriptedOrigin::stop_listening() {
  core_->run_on_thread([this] {
    error_code ignored;
    core_->acceptor.close(ignored);
  });
}
void ScriptedOrigin::listen_again() {
  core_->run_on_thread([this] {
    if (!core_->acceptor.is_open()) core_->listen();
  });
}
void ScriptedOrigin::drop_connections() {
  core_->run_on_thread([this] {
    for (const auto& wire : core_->wires) wire->reset();
  });
}

}  // namespace tanggul::test
