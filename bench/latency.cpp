// How long the slowest of a hundred waits when all are asked at the same rate, one that the slowest
// of them can bear.
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "base/bytes.h"
#include "compare.h"
#include "contest.h"
#include "measurements.h"

namespace tanggul::bench {
namespace {

constexpr std::size_t kClients = 64;
constexpr double kShare = 0.7, kMost = 1.1;  // of the slowest's peak; of the best peer's p99

// The times of h2load's log file, its third column, in µs.
double p99_ms(const std::string& log) {
  std::vector<double> times;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    double at = 0, status = 0, us = 0;
    if (!(fields >> at >> status >> us)) continue;
    if (status != 200) throw std::runtime_error("h2load: an answer was " + number(status));
    times.push_back(us / 1e3);
  }
  if (times.empty()) throw std::runtime_error("h2load: no answers");
  return quantile(std::move(times), 0.99);
}

// The p99 of so many requests a second, in all.
double take_p99(const Subject& subject, double rate, int seconds_long) {
  const test::TempDir dir;
  const std::string log = dir.file("log");
  // As many whole requests a second for each client.
  const auto each = static_cast<long>(rate / kClients);
  const auto r = test::run_command(
      {.args = {"h2load", "--h1", "-c", std::to_string(kClients), "-t", "1", "--rps",
                std::to_string(std::max(1L, each)), "-D", std::to_string(seconds_long),
                "--log-file=" + log,
                "http://127.0.0.1:" + std::to_string(subject.port()) + subject.at("/k")}});
  if (r.status != 0) throw std::runtime_error("h2load: " + r.out + r.err);
  return p99_ms(test::read_file(log));
}

double slowest_peak(const Contest& contest) {
  double slowest = 0;
  for (const Contender& c : contest.contenders()) {
    if (c.rate.empty()) continue;
    slowest = slowest == 0 ? median(c.rate) : std::min(slowest, median(c.rate));
  }
  return slowest;
}

}  // namespace

void measure_latency(const Options& options, Table& musts) {
  Contest contest({.size = 1_KiB, .connections = kClients, .tier = Tier::memory});
  contest.run(options.quick ? 1 : 3);
  const double rate = kShare * slowest_peak(contest);
  std::vector<std::vector<double>> p99s(contest.contenders().size());
  for (int run = 0; run < options.runs(); ++run)
    for (std::size_t i = 0; i < p99s.size(); ++i) {
      Contender& c = contest.contenders()[i];
      if (!c.failure.empty()) continue;
      try {
        p99s[i].push_back(take_p99(*c.subject, rate, options.quick ? 1 : 3));
      } catch (const std::exception& error) {
        c.failure = one_line(error.what());
      }
    }
  double best = 0;
  Must row{.what = "1 KiB hits, " + std::to_string(kClients) + " connections, all at " +
                   number(rate) + " requests/s: p99 (h2load)",
           .must = "≤ 1.1 × the best peer's"};
  for (std::size_t i = 2; i < p99s.size(); ++i) {
    const Contender& c = contest.contenders()[i];
    row.peers[c.name] = c.failure.empty() ? ms(median(p99s[i])) : "failed: " + c.failure;
    if (c.failure.empty()) best = best == 0 ? median(p99s[i]) : std::min(best, median(p99s[i]));
  }
  if (!contest.ours().failure.empty()) throw std::runtime_error(contest.ours().failure);
  const double ours = median(p99s[1]);
  row.ours = ms(ours) + ", " + ratio(ours / best);
  row.met = best > 0 && ours <= kMost * best;
  add(musts, row);
}

}  // namespace tanggul::bench
