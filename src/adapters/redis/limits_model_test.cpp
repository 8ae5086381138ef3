#include <cmath>

#include "adapters/redis/limits_wire.h"
#include "adapters/redis/node_for_test.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/breaker.h"
#include "tanggul/policy/rate_limit.h"

namespace tanggul::redis {
namespace {

using ports::AttemptLeave;
using ports::AttemptSample;
using Kind = AttemptLeave::Kind;

// The scripts against the policies of one process, by the same events at the same times.
class RedisLimitsModel : public RedisTest {
 protected:
  RedisLimitsModel() : now_(1'700'000'000s) {}

  std::vector<std::string> words(const Script& script, const Call& call) {
    std::vector<std::string> all{"EVAL", std::string(script.source),
                                 std::to_string(call.keys.size())};
    all.insert(all.end(), call.keys.begin(), call.keys.end());
    all.insert(all.end(), call.args.begin(), call.args.end());
    return all;
  }
  static Reply converted(const test::RedisReply& from) {
    Reply to;
    EXPECT_FALSE(from.error()) << from.text;
    to.kind = from.type == '*' ? Reply::Kind::array : Reply::Kind::integer;
    if (from.type == ':') to.number = from.integer();
    for (const auto& item : from.items) to.items.push_back(converted(item));
    return to;
  }
  std::string time() const { return in_us(now_.time_since_epoch()); }
  // The U that `rng` will draw next, to the last digit.
  static std::string next_jitter(Rng rng) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", rng.between(0.8, 1.0));
    return text;
  }

  AttemptLeave ask(const ports::SharedRules& rules, const std::string& place,
                   Duration may_wait = {}) {
    const Call call =
        ask_call(keys_, {.origin = "o", .rules = rules, .may_wait = may_wait}, place, "1", time());
    Reply reply = converted(redis_.command(words(scripts::kAsk, call)));
    return leave_in(reply, rules.breaker);
  }
  void finish(const ports::SharedRules& rules, const std::string& place, std::uint64_t generation,
              bool probe, AttemptSample sample, const std::string& jitter) {
    const Call call = finish_call(keys_,
                                  {.origin = "o",
                                   .place = place,
                                   .rules = rules,
                                   .generation = generation,
                                   .probe = probe,
                                   .sample = sample},
                                  jitter, time());
    converted(redis_.command(words(scripts::kFinish, call)));
  }

  test::RedisServer redis_;
  const Keys keys_{"m"};
  MonoTime now_;
};

struct Running {
  std::string place;
  std::uint64_t generation;
  bool probe;
  policy::Breaker::Ticket ticket;
};

TEST_F(RedisLimitsModel, TheBreakerIsThatOfOneProcess) {
  int opened = 0, closed_again = 0, probes = 0, late = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    redis_.command({"FLUSHALL"});
    Rng rng(seed), jitter(seed + 1000);
    ports::SharedRules rules;
    rules.breaker = true;
    rules.window = std::chrono::seconds(2 + seed % 9);
    rules.min_requests = static_cast<int>(1 + seed % 7);
    rules.failure_ratio = 0.1 + 0.1 * static_cast<double>(seed % 8);
    rules.open_for = 700ms * (1 + seed % 3);
    rules.max_open = 5s;
    rules.probes = static_cast<int>(1 + seed % 3);
    rules.probe_lease = 800ms;
    policy::Breaker model({.window = rules.window,
                           .min_requests = rules.min_requests,
                           .failure_ratio = rules.failure_ratio,
                           .open_for = rules.open_for,
                           .max_open = rules.max_open,
                           .probes = rules.probes,
                           .probe_lease = rules.probe_lease});
    std::vector<Running> running;
    std::uint64_t first_generation = 0;
    double bad = 0.5;
    Running last_probe{};
    for (int step = 0; step < 400; ++step) {
      now_ += std::chrono::microseconds(rng.bits() % 300'000);
      if (step % 40 == 0) bad = rng.unit() * rng.unit();
      if (rng.unit() < 0.55) {
        const std::string place = "p" + std::to_string(step);
        const AttemptLeave leave = ask(rules, place);
        if (first_generation == 0) first_generation = leave.generation;
        const auto admission = model.admit(now_, jitter);
        ASSERT_EQ(leave.kind == Kind::go, admission.admitted) << seed << "/" << step;
        ASSERT_EQ(static_cast<int>(leave.breaker.state), static_cast<int>(model.state(now_)));
        if (leave.kind == Kind::go) {
          ASSERT_EQ(leave.probe, admission.ticket.probe);
          ASSERT_EQ(leave.generation - first_generation, admission.ticket.generation - 1);
          running.push_back({place, leave.generation, leave.probe, admission.ticket});
          probes += leave.probe ? 1 : 0;
          if (leave.probe) last_probe = running.back();
        } else {
          const Duration difference = leave.wait - (admission.retry_at - now_);
          ASSERT_LE(std::abs(difference.count()), 2000) << seed << "/" << step;
        }
      } else if (!running.empty()) {
        const std::size_t i = rng.bits() % running.size();
        const Running one = running[i];
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        const auto sample = rng.unit() < 0.1   ? AttemptSample::ignored
                            : rng.unit() < bad ? AttemptSample::failure
                                               : AttemptSample::success;
        const auto before = model.state(now_);
        finish(rules, one.place, one.generation, one.probe, sample, next_jitter(jitter));
        model.record(one.ticket, static_cast<policy::BreakerSample>(sample), now_, jitter);
        const auto after = model.state(now_);
        opened += before == policy::BreakerState::closed && after != before ? 1 : 0;
        closed_again += before != after && after == policy::BreakerState::closed ? 1 : 0;
        // One whose place was given on in this same half-open, and it counts.
        late += one.probe && one.generation == last_probe.generation &&
                        one.place != last_probe.place && sample == AttemptSample::success &&
                        before == policy::BreakerState::half_open
                    ? 1
                    : 0;
      }
    }
  }
  // What the sequences had to show.
  EXPECT_GT(opened, 20);
  EXPECT_GT(closed_again, 10);
  EXPECT_GT(probes, 100);
  EXPECT_GT(late, 10);
}

TEST_F(RedisLimitsModel, TheRateIsThatOfOneProcess) {
  int refused = 0, waited = 0, at_once = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    redis_.command({"FLUSHALL"});
    Rng rng(seed);
    constexpr double kRates[] = {0.5, 2, 10, 100, 1000, 7};
    ports::SharedRules rules;
    rules.rate = kRates[seed % 6];
    rules.burst = static_cast<double>(seed % 5) + 0.5;
    policy::RateLimit model(rules.rate, rules.burst);
    const double interval = 1e6 / rules.rate;
    for (int step = 0; step < 300; ++step) {
      now_ += std::chrono::microseconds(
          static_cast<std::int64_t>(rng.unit() * rng.unit() * 3 * interval));
      const Duration may_wait =
          std::chrono::microseconds(static_cast<std::int64_t>(rng.unit() * 3 * interval));
      const AttemptLeave leave = ask(rules, "p", may_wait);
      const Duration wait = model.delay(now_);
      // Where the interval is no whole microsecond the script's is rounded up.
      const Duration slack = std::fmod(interval, 1) == 0 ? 1us : 1us * (step + 2);
      if (std::chrono::abs(wait - may_wait) <= slack &&
          (leave.kind == Kind::go) != (wait <= may_wait))
        break;  // too near to tell
      ASSERT_EQ(leave.kind, wait <= may_wait ? Kind::go : Kind::used_up) << seed << "/" << step;
      if (leave.kind != Kind::go) {
        ++refused;
        continue;
      }
      model.reserve(now_);
      ASSERT_LE(std::chrono::abs(leave.wait - wait), slack) << seed << "/" << step;
      ++(wait > Duration::zero() ? waited : at_once);
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(waited, 300);
  EXPECT_GT(at_once, 300);
}

TEST_F(RedisLimitsModel, PlacesAreNeverMoreThanMayRun) {
  Rng rng(7);
  ports::SharedRules rules;
  rules.concurrency = 4;
  std::vector<std::pair<std::string, MonoTime>> running;  // and when its place ends
  int full = 0, died = 0;
  for (int step = 0; step < 1500; ++step) {
    now_ += std::chrono::milliseconds(rng.bits() % 2000);
    died += static_cast<int>(
        std::erase_if(running, [&](const auto& one) { return one.second <= now_; }));
    if (rng.unit() < 0.6) {
      const std::string place = "p" + std::to_string(step);
      const AttemptLeave leave = ask(rules, place);
      ASSERT_EQ(leave.kind, running.size() < 4 ? Kind::go : Kind::full) << step;
      if (leave.kind == Kind::go)
        running.emplace_back(place, now_ + ports::SharedLimits::kPlaceLives);
      full += leave.kind == Kind::full ? 1 : 0;
    } else if (!running.empty() && rng.unit() < 0.7) {
      finish(rules, running.front().first, 0, false, AttemptSample::ignored, "1");
      running.erase(running.begin());
    }
  }
  EXPECT_GT(full, 100);
  EXPECT_GT(died, 20);
}

}  // namespace
}  // namespace tanggul::redis
