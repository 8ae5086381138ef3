#include "app/client/status_watch.h"

#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <ostream>

#include "app/client/http_exchange.h"
#include "app/client/screen.h"
#include "app/client/status_table.h"
#include "app/config/units.h"
#include "app/terminal/text_table.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;
constexpr Duration kPatience = 5s;

class Watch {
 public:
  Watch(const WatchQuery& query, Url url, const Console& console)
      : query_(query), url_(std::move(url)), console_(console) {}

  int run() {
    if (console_.terminal && !query_.as_json) screen_.emplace();
    stops_.async_wait([this](const auto& error, int) {
      if (!error) io_.stop();
    });
    if (screen_) on_change();
    asio::co_spawn(io_, look(), asio::detached);
    io_.run();
    return result_;
  }

 private:
  asio::awaitable<void> look() {
    for (;;) {
      const MonoTime next = MonoClock::now() + query_.interval;
      take(co_await http_ask(url_, {.target = "/api/status", .token = query_.admin.token},
                             kPatience));
      if (!show()) {  // nobody reads any more
        result_ = kFailed;
        io_.stop();
      }
      boost::system::error_code woken;
      timer_.expires_after(next - MonoClock::now());
      co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
  }

  void take(HttpAnswer answer) {
    std::string table = status_table(answer.body, console_.colour);
    trouble_.clear();
    if (answer.status == 200 && !table.empty()) {
      table_ = std::move(table);
      json_ = std::move(answer.body);
      heard_ = MonoClock::now();
      return;
    }
    trouble_ = answer.status == 0
                   ? fmt::format("No shield answers at {}: {}.", url_.text(), answer.error)
                   : refused_with(url_, answer.status, "status");
  }

  std::string text() const {
    if (trouble_.empty()) return table_;
    std::string out = painted(trouble_, "\x1b[31m", console_.colour) + "\nTrying again.";
    // On a screen the last figures stay; in a file they stand above already.
    if (screen_ && !table_.empty())
      out +=
          fmt::format(" What it told {} ago:\n\n{}", write_span(MonoClock::now() - heard_), table_);
    return out + (out.ends_with('\n') ? "" : "\n");
  }

  bool show() {
    if (screen_) return screen_->draw(text());
    if (query_.as_json) {
      if (trouble_.empty()) return write_out(json_.ends_with('\n') ? json_ : json_ + "\n");
      console_.err << trouble_ << std::endl;
      return true;
    }
    return write_out((std::exchange(first_, false) ? "" : "\n") + text());
  }

  // Another size: drawn anew at once. Suspended: the terminal is the shell's until we go on.
  void on_change() {
    changes_.emplace(io_, SIGWINCH, SIGTSTP, SIGCONT);
    await_change();
  }
  void await_change() {
    changes_->async_wait([this](const auto& error, int number) {
      if (error) return;
      if (number == SIGTSTP) {
        screen_.reset();
        std::raise(SIGSTOP);
      }
      if (!screen_) screen_.emplace();
      if (!table_.empty() || !trouble_.empty()) screen_->draw(text());
      await_change();
    });
  }

  const WatchQuery& query_;
  const Url url_;
  const Console& console_;
  asio::io_context io_{1};
  asio::steady_timer timer_{io_};
  asio::signal_set stops_{io_, SIGINT, SIGTERM};
  std::optional<asio::signal_set> changes_;
  std::optional<Screen> screen_;
  std::string table_, json_, trouble_;  // trouble: why the last look showed nothing
  MonoTime heard_;
  bool first_ = true;
  int result_ = kDone;
};

}  // namespace

int watch_status(const WatchQuery& query, const Console& console) {
  const auto url = admin_url(query.admin, false, console);
  return url ? Watch(query, *url, console).run() : kWrongUsage;
}

}  // namespace tanggul::app
