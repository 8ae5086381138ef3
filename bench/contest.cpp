#include "contest.h"

#include <algorithm>
#include <stdexcept>

#include "base/bytes.h"
#include "cpu.h"
#include "paced_load.h"
#include "scripts.h"

namespace tanggul::bench {
namespace {

constexpr std::string_view kLoop = "bare loop", kOurs = "tanggul";
// The least memory that our configuration takes; the disk rows have several times as much in all.
constexpr std::string_view kLittleMemory = "cache: { memory: 1MiB, disk: 1GiB }\n";

std::size_t keys_of(const Hits& hits) {
  if (hits.tier == Tier::memory) return 1;
  return std::clamp<std::size_t>(32_MiB / hits.size, 32, 4096);
}

}  // namespace

Contest::Contest(Hits hits) : hits_(hits), keys_(keys_of(hits)) {
  std::vector<std::string> names = {std::string(kLoop), std::string(kOurs)};
  for (const Peer& p : peers())
    if (hits.tier == Tier::memory || p.has_disk) names.emplace_back(p.name);
  for (std::string& name : names) {
    Contender& c = all_.emplace_back();
    c.name = std::move(name);
    try {
      c.origin = std::make_unique<test::ScriptedOrigin>(dated(body_of(hits.size)));
      c.subject = start(c);
      warm(c);
    } catch (const std::exception& error) {
      c.failure = one_line(error.what());
    }
  }
}

SubjectPtr Contest::start(const Contender& c) const {
  if (c.name == kLoop) return start_epoll_loop(hits_.size);
  if (c.name != kOurs) return peer(c.name).start(*c.origin, hits_.tier);
  return std::make_unique<Tanggul>(*c.origin, "", hits_.tier == Tier::disk ? kLittleMemory : "");
}

WrkLoad Contest::load_for(const Contender& c) const {
  return {.target = c.subject->at("/k"), .keys = keys_, .connections = hits_.connections};
}

// Every key once, so that the store is filled, then a round that does not count.
void Contest::warm(const Contender& c) const {
  const std::string target = c.subject->at("/k");
  const auto groups = run_paced(c.subject->port(),
                                {.connections = 8, .total = keys_, .target = [&](std::uint64_t i) {
                                   return keys_ == 1 ? target : target + std::to_string(i);
                                 }});
  if (groups[0].by_status.size() != 1 || !groups[0].by_status.contains(200))
    throw std::runtime_error("did not answer every request with 200");
  run_wrk(c.subject->port(), load_for(c));
}

void Contest::take_turn(Contender& c) const {
  const std::vector<pid_t> pids = c.subject->pids();
  const std::uint64_t fetched = c.origin->requests();
  const Duration before = cpu_time(pids);
  const MonoTime start = MonoClock::now();
  const double requests = run_wrk(c.subject->port(), load_for(c));
  c.rate.push_back(requests / seconds(MonoClock::now() - start));
  c.cost_us.push_back(seconds(cpu_time(pids) - before) * 1e6 / requests);
  const double misses = static_cast<double>(c.origin->requests() - fetched);
  if (misses > requests / 1000)
    throw std::runtime_error(number(100 * misses / requests) + " % of the requests were no hits");
}

void Contest::run(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (Contender& c : all_) {
      if (!c.failure.empty()) continue;
      try {
        take_turn(c);
        if (all_[0].failure.empty()) c.to_loop.push_back(c.cost_us.back() / all_[0].cost_us.back());
      } catch (const std::exception& error) {
        c.failure = one_line(error.what());
        c.cost_us.clear();
        c.rate.clear();
        c.to_loop.clear();
      }
    }
  }
}

int rounds_below(const Contender& one, const Contender& other) {
  const std::size_t rounds = std::min(one.cost_us.size(), other.cost_us.size());
  int below = 0;
  for (std::size_t i = 0; i < rounds; ++i) below += one.cost_us[i] < other.cost_us[i] ? 1 : 0;
  return below;
}

}  // namespace tanggul::bench
