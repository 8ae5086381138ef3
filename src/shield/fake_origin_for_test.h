#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "async/waiter.h"
#include "ports/origin.h"

namespace tanggul::shield {

// Plays answers in turn, the last one again and again, on the caller's thread and its clock.
class FakeOrigin final : public ports::Origin {
 public:
  struct Answer {
    Duration takes{};                          // before the head
    std::vector<http::ResponseHead> interims;  // at once
    int status = 200;
    http::Headers headers;
    std::string body;
    ports::BodyFraming framing = ports::BodyFraming::length;
    std::optional<Errc> fails;          // instead of a head, or after `cut_at` bytes
    std::optional<std::size_t> cut_at;  // a head comes, then so many bytes, then `fails`
    Duration pause_in_body{};           // after the first half
  };

  explicit FakeOrigin(async::Executor executor) : executor_(executor) {}

  void plays(std::deque<Answer> answers) { answers_ = std::move(answers); }
  // What is asked of one server, or for one target, is answered by this instead.
  std::map<std::string, Answer> at_base, at_target;
  std::vector<ports::OriginRequest> seen;
  int running = 0, most_running = 0;  // at once

  Task<ports::FetchEnd> fetch(const ports::OriginRequest& request, ports::ResponseSink& sink,
                              ports::Cancellation& cancel) override {
    seen.push_back(request);
    const Running counted(*this);
    const Answer answer = next(request);
    const async::WaiterPtr waiter = async::Waiter::make(executor_);
    cancel.bind(waiter);
    ports::FetchEnd end;
    end.requests = 1;
    for (const auto& interim : answer.interims) sink.on_interim(interim);
    co_await pause(waiter, cancel, answer.takes);
    if (cancel.cancelled()) {
      end.error = Errc::cancelled;
      co_return end;
    }
    if (answer.fails && !answer.cut_at) {
      end.error = answer.fails;
      co_return end;
    }
    http::ResponseHead head{answer.status, "", answer.headers};
    std::optional<ByteCount> length;
    if (answer.framing == ports::BodyFraming::length) length = answer.body.size();
    if (!sink.on_head(head, answer.framing, length)) {
      end.error = Errc::cancelled;
      co_return end;
    }
    const std::string_view body =
        std::string_view(answer.body).substr(0, answer.cut_at.value_or(~0UL));
    const std::size_t half = body.size() / 2;
    bool wanted = body.empty() || sink.on_data(body.substr(0, half));
    if (wanted && answer.pause_in_body > Duration::zero())
      co_await pause(waiter, cancel, answer.pause_in_body);
    wanted = wanted && !cancel.cancelled() && (body.empty() || sink.on_data(body.substr(half)));
    if (!wanted) {
      end.error = Errc::cancelled;
    } else if (answer.cut_at) {
      end.error = answer.fails.value_or(Errc::truncated);
    }
    co_return end;
  }

 private:
  struct Running {
    FakeOrigin& origin;
    explicit Running(FakeOrigin& o) : origin(o) {
      origin.most_running = std::max(origin.most_running, ++origin.running);
    }
    ~Running() { --origin.running; }
  };

  Answer next(const ports::OriginRequest& request) {
    if (const auto at = at_base.find(request.base); at != at_base.end()) return at->second;
    if (const auto at = at_target.find(request.target); at != at_target.end()) return at->second;
    const Answer answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }
  static Task<void> pause(async::WaiterPtr waiter, ports::Cancellation& cancel, Duration d) {
    const MonoTime until = MonoClock::now() + d;
    while (MonoClock::now() < until && !cancel.cancelled()) co_await waiter->wait_until(until);
  }

  async::Executor executor_;
  std::deque<Answer> answers_{{}};
};

}  // namespace tanggul::shield
