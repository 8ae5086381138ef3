#pragma once

#include "shield/pipeline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>

#include "registry/generic.h"
#include "registry/npm.h"
#include "shield/fake_origin_for_test.h"

namespace tanggul::shield {

namespace asio = boost::asio;
using Answer = FakeOrigin::Answer;

inline http::Headers headers(std::initializer_list<std::pair<const char*, const char*>> lines) {
  http::Headers h;
  for (const auto& [name, value] : lines) h.add(name, value);
  return h;
}

inline Answer page(std::string body, http::Headers h = headers({{"Cache-Control", "max-age=60"}})) {
  Answer a;
  a.body = std::move(body);
  a.headers = std::move(h);
  return a;
}
inline Answer broken(int status, http::Headers h = {}) {
  Answer a;
  a.status = status;
  a.headers = std::move(h);
  a.body = "oops";
  return a;
}
inline Answer dead(Errc code) {
  Answer a;
  a.fails = code;
  return a;
}

// One client's request from its sending to its last byte.
struct Client : ports::InterimWriter {
  ports::Call call;
  ports::Reply reply;
  std::string method = "GET", target;
  std::vector<std::pair<std::string, std::string>> lines;
  std::string head, body, interim;
  std::string authority = "shield", peer;
  bool done = false, whole = false, bodiless = false;

  bool says(std::string_view text) const { return head.find(text) != std::string::npos; }
  Task<void> write_interim(std::string heads) override {
    interim += heads;
    co_return;
  }
};

// A piece of a body wherever it lies.
inline std::string bytes_of(const ports::BodyPiece& piece) {
  if (piece.descriptor < 0) return std::string(piece.memory);
  std::string out(piece.size, '\0');
  const auto n =
      ::pread(piece.descriptor, out.data(), out.size(), static_cast<off_t>(piece.offset));
  out.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  return out;
}

inline Task<void> play(Pipeline& pipeline, Client& c) {
  if (!pipeline.answer_now(c.call, c.reply)) co_await pipeline.answer(c.call, c.reply);
  c.head = std::string(c.reply.head) + c.reply.lines;
  c.body = c.reply.body;
  c.bodiless = c.reply.head_only;
  c.whole = !c.call.waiter->closed();
  while (c.reply.stream && c.whole) {
    const auto piece = co_await c.reply.stream->next(c.call.waiter);
    if (!piece) {
      c.whole = false;
      break;
    }
    if (piece->size == 0) break;
    c.body += bytes_of(*piece);
  }
  pipeline.finished(c.call, c.reply, c.body.size(),
                    c.whole ? ports::Sent::whole : ports::Sent::left);
  c.done = true;
  c.reply.reset();
}

// A request that is ready to be sent: what it says of its client comes from there.
inline void prepare(Client& c, std::string client, const async::Executor& executor) {
  c.call.head.method = c.method;
  c.call.head.target = c.target;
  for (const auto& [name, value] : c.lines) c.call.head.headers.push_back({name, value});
  c.peer = std::move(client);
  c.call.client = c.peer;
  c.call.scheme = "http";
  c.call.authority = c.authority;
  c.call.waiter = async::Waiter::make(executor);
  c.call.started = MonoClock::now();
}

inline void run_ready(asio::io_context& io) {
  io.restart();
  io.poll();
}

// In small steps, so that what waits for one thing can begin to wait for the next.
inline void pass_time(Duration d, VirtualClock& clock, asio::io_context& io) {
  for (const MonoTime end = clock.now().mono + d; clock.now().mono < end;) {
    clock.advance(std::min<Duration>(10ms, end - clock.now().mono));
    run_ready(io);
  }
}

// One thread's pipeline in virtual time, before an origin that plays what a test tells it.
class PipelineTest : public testing::Test {
 protected:
  PipelineTest() { build(); }

  void build() {
    pipeline_.reset();
    shield_.reset();
    ShieldConfig config;
    config.spool_directory = std::filesystem::temp_directory_path().string();
    origin_config.name = "o";
    origin_config.mount = "/o/";
    origin_config.upstreams = {{"http://origin.test", "/base"}};
    if (!origin_config.kind) origin_config.kind = registry::make_generic({});
    origin_config.key_patterns = origin_config.kind->patterns("o");
    config.origins = {origin_config};
    metrics_ = std::make_unique<MetricSet>();
    shield_ = std::make_unique<Shield>(config, *metrics_);
    pipeline_ = std::make_unique<Pipeline>(*shield_, origin, io.get_executor());
  }

  // origin_config as it is now takes effect, and all that waits or is known stays.
  void reload() {
    ShieldConfig config;
    config.spool_directory = shield_->spool_directory();
    config.origins = {origin_config};
    shield_->configure(std::move(config));
    pipeline_->adopt(shield_->routes());
    settle();
  }

  Client& send(std::string target, std::vector<std::pair<std::string, std::string>> lines = {},
               std::string method = "GET") {
    Client& c = clients.emplace_back();
    c.method = std::move(method);
    c.target = std::move(target);
    c.lines = std::move(lines);
    c.call.interim = &c;
    c.authority = authority;
    prepare(c, peer, io.get_executor());
    async::spawn(io.get_executor(), "client", play(*pipeline_, c));
    settle();
    return c;
  }
  void settle() { run_ready(io); }
  void pass(Duration d) { pass_time(d, clock, io); }
  const Upstream& upstream() { return *shield_->routes()->upstreams.front(); }
  OriginState& state() { return upstream().state(); }
  std::uint64_t limit_refusals() {
    return metrics_->counter("tanggul_limit_refused_total", "", {{"origin", "o"}}).value();
  }

  std::string peer = "127.0.0.1", authority = "shield";  // of the next client
  VirtualClock clock;
  OriginConfig origin_config;
  std::unique_ptr<MetricSet> metrics_;
  std::unique_ptr<Shield> shield_;
  asio::io_context io{1};  // ends what still runs on it before what that runs on
  std::deque<Client> clients;
  FakeOrigin origin{io.get_executor()};
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace tanggul::shield
