#include "app/client/gate.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <ostream>

#include "app/client/event_stream.h"
#include "app/config/units.h"
#include "base/bytes.h"
#include "tanggul/base/random.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr Duration kNobodyThere = 5s;  // a shield that restarts is back by then
constexpr Duration kAnswer = 2s;
constexpr Duration kFirstPause = 200ms, kLongestPause = 5s;  // between two connections

std::string text_of(const json::object& event, std::string_view key) {
  const json::value* v = event.if_contains(key);
  if (v == nullptr || !v->is_string()) return {};
  return printable(std::string_view(v->get_string()).substr(0, 200));
}

std::string span_of(Duration d) {
  return write_duration(std::chrono::duration_cast<std::chrono::seconds>(d));
}

class Gate {
 public:
  Gate(const GateQuery& query, Url url, const Console& console)
      : query_(query), url_(std::move(url)), console_(console) {}

  int wait() {
    asio::co_spawn(io_, listen(), asio::detached);
    asio::co_spawn(io_, decide(), asio::detached);
    io_.run();
    return result_;
  }

 private:
  // Follows the events, from the shield's successor when one ends.
  asio::awaitable<void> listen() {
    Duration pause = kFirstPause;
    for (;;) {
      const StreamEnd end =
          co_await read_events(url_, "/.tanggul/gate/" + query_.origin, [&](std::string_view data) {
            pause = kFirstPause;
            on_event(data);
          });
      if (end.status != 0 && end.status != 200) co_return refuse(end);
      error_ = end.error;
      if (serving_) change(false);
      if (!heard_ && MonoClock::now() - begun_ > kNobodyThere) co_return nobody();
      asio::steady_timer timer(io_, rng_.upto(pause));
      co_await timer.async_wait(asio::use_awaitable);
      pause = std::min<Duration>(2 * pause, kLongestPause);
    }
  }

  void on_event(std::string_view data) {
    boost::system::error_code error;
    const json::value value = json::parse(json::string_view(data), error);
    const json::object* event = error ? nullptr : value.if_object();
    const json::value* serving = event ? event->if_contains("serving") : nullptr;
    if (serving == nullptr || !serving->is_bool()) return;
    heard_ = true;
    if (!serving->get_bool()) tell_why(*event);
    change(serving->get_bool());
  }

  void tell_why(const json::object& event) {
    if (waited_) return;
    waited_ = true;
    if (query_.wait == Duration::zero()) return;
    const std::string error = text_of(event, "last_error");
    console_.err << fmt::format("{} does not serve{}; waiting up to {}\n", query_.origin,
                                error.empty() ? "" : " (" + error + ")", span_of(query_.wait))
                 << std::flush;
  }

  void change(bool serving) {
    serving_ = serving;
    ++changes_;
    changed_.cancel();
  }

  asio::awaitable<void> decide() {
    while (!over_) {
      // An answer takes a moment, also for who would not wait.
      const MonoTime end =
          begun_ + (heard_ ? query_.wait : std::max<Duration>(query_.wait, kAnswer));
      const MonoTime now = MonoClock::now();
      if (serving_ && !waited_) co_return finish(kDone);
      if (serving_) {
        const MonoTime go = std::min(now + rng_.upto(query_.spread), std::max(end, now));
        console_.err << fmt::format("{} serves again after {}; going on in {:.1f}s\n",
                                    query_.origin, span_of(now - begun_), seconds(go - now))
                     << std::flush;
        const int seen = changes_;
        while (changes_ == seen && MonoClock::now() < go) co_await sleep_until(go);
        if (changes_ == seen) co_return finish(kDone);
        continue;
      }
      if (now >= end && !heard_) co_return nobody();
      if (now >= end) {
        console_.err << fmt::format("{} is still down after {}\n", query_.origin,
                                    span_of(query_.wait));
        co_return finish(kStillDown);
      }
      co_await sleep_until(end);
    }
  }

  asio::awaitable<void> sleep_until(MonoTime until) {
    boost::system::error_code woken;
    changed_.expires_after(until - MonoClock::now());
    co_await changed_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }

  void refuse(const StreamEnd& end) {
    const std::string why = end.status == 404 ? "has no origin " + query_.origin
                                              : fmt::format("answers {}", end.status);
    boost::system::error_code error;
    const json::value problem = json::parse(json::string_view(end.body), error);
    const json::object* told = error ? nullptr : problem.if_object();
    const std::string known = told ? text_of(*told, "detail") : "";
    console_.err << fmt::format("error: {} {}{}\n", url_.text(), why,
                                known.empty() ? "" : " (" + known + ")");
    finish(end.status == 404 ? kWrongUsage : kFailed);
  }

  void nobody() {
    console_.err << fmt::format("No shield answers at {}: {}.\n", url_.text(),
                                error_.empty() ? "no answer in time" : error_);
    finish(kFailed);
  }

  void finish(int result) {
    result_ = result;
    over_ = true;
    io_.stop();
  }

  const GateQuery& query_;
  const Url url_;
  const Console& console_;
  asio::io_context io_{1};
  asio::steady_timer changed_{io_};
  Rng& rng_ = thread_rng();
  const MonoTime begun_ = MonoClock::now();
  std::string error_;  // why the last connection ended
  bool heard_ = false, waited_ = false, serving_ = false, over_ = false;
  int changes_ = 0, result_ = kFailed;
};

}  // namespace

int wait_at_gate(const GateQuery& query, const Console& console) {
  const auto url = admin_url(query.admin, true, console);
  if (!url) return kWrongUsage;
  return Gate(query, *url, console).wait();
}

}  // namespace tanggul::app
