// What a warm hit costs: CPU time of the server for each request, by the kernel's own count.
#include <stdexcept>

#include "base/bytes.h"
#include "contest.h"
#include "measurements.h"
#include "system_calls.h"

namespace tanggul::bench {
namespace {

constexpr double kMostOfLoop1 = 1.4, kMostOfLoop64 = 1.3, kMostCalls = 1.01;

std::string in_us(const Contender& c) { return printed("%.2f µs", median(c.cost_us)); }
std::string to_loop(const Contender& c) { return ratio(median(c.to_loop)); }

// "measured", "must", everybody, "met".
class Rows {
 public:
  Rows(Table& table, const Contest& contest, std::string what)
      : table_(table), contest_(contest), what_(std::move(what)) {}

  template <class Cell>
  void add(const std::string& measured, const std::string& must, const Cell& cell,
           const std::string& met) {
    auto& row = table_.rows.emplace_back(std::vector<std::string>{what_ + measured, must});
    for (const Contender& c : contest_.contenders())
      row.push_back(c.failure.empty() ? cell(c) : std::string());
    row.push_back(met);
  }
  void add_failures() {
    for (const Contender& failed : contest_.contenders()) {
      if (failed.failure.empty()) continue;
      auto& row = table_.rows.emplace_back(std::vector<std::string>{what_ + ": took no part", ""});
      for (const Contender& c : contest_.contenders())
        row.push_back(c.name == failed.name ? c.failure : std::string());
      row.push_back(c_met(failed));
    }
  }

 private:
  // Without ourselves or the loop nothing has been shown.
  std::string c_met(const Contender& failed) const {
    const auto& all = contest_.contenders();
    return failed.name == all[0].name || failed.name == all[1].name ? yes_no(false) : "";
  }

  Table& table_;
  const Contest& contest_;
  std::string what_;
};

const Contender& named(const Contest& contest, std::string_view name) {
  for (const Contender& c : contest.contenders())
    if (c.name == name) return c;
  throw std::logic_error("nobody is called " + std::string(name));
}

// The share of the rounds in which we cost less.
double share_below(const Contest& contest, std::string_view name) {
  const Contender& other = named(contest, name);
  if (other.cost_us.empty()) return 0;
  return rounds_below(contest.ours(), other) / static_cast<double>(other.cost_us.size());
}

bool below_all(const Contest& contest) {
  bool below = true;
  for (const Peer& p : peers()) {
    const Contender& c = named(contest, p.name);
    if (c.failure.empty()) below &= median(contest.ours().cost_us) < median(c.cost_us);
  }
  return below;
}

void add_calls(Rows& rows, Contest& contest) {
  SystemCalls ours;
  std::string trouble;
  std::vector<std::string> cells;
  for (const Contender& c : contest.contenders()) try {
      cells.emplace_back();
      if (!c.failure.empty()) continue;
      const SystemCalls calls = count_system_calls(*c.subject, contest.load_for(c));
      cells.back() = to_cell(calls);
      if (c.name == contest.ours().name) ours = calls;
    } catch (const std::exception& error) {
      trouble = error.what();
      cells.back() = "could not be counted";
    }
  const bool met = ours.receive > 0 && ours.receive <= kMostCalls && ours.send <= kMostCalls;
  rows.add(
      ", system calls a request: receive · send · wait · other", "1 · 1",
      [&](const Contender& c) {
        return cells[static_cast<std::size_t>(&c - contest.contenders().data())];
      },
      yes_no(met));
}

void measure_size(Table& table, const Options& options, std::uint64_t size) {
  Contest contest({.size = size, .connections = 64, .tier = Tier::memory});
  contest.run(options.rounds());
  Rows rows(table, contest, std::to_string(size >> 10) + " KiB hit");
  rows.add_failures();
  const double most = size == 1_KiB ? kMostOfLoop1 : kMostOfLoop64;
  const double ours = median(contest.ours().to_loop);
  rows.add(", CPU time a request", "", in_us, "");
  rows.add(", ratio to the bare loop", "≤ " + printed("%.1f", most) + " ×", to_loop,
           yes_no(ours > 0 && ours <= most));
  const bool below =
      size == 1_KiB ? share_below(contest, "HAProxy") >= 0.8 && share_below(contest, "nginx") >= 0.8
                    : below_all(contest);
  rows.add(
      ", rounds in which tanggul costs less",
      size == 1_KiB ? "≥ 80 % against HAProxy and nginx" : "below every peer (medians)",
      [&](const Contender& c) {
        if (c.name == contest.ours().name) return std::string();
        return std::to_string(rounds_below(contest.ours(), c)) + " of " +
               std::to_string(c.cost_us.size());
      },
      yes_no(below && !contest.ours().cost_us.empty()));
  rows.add(
      ", requests a second", "", [](const Contender& c) { return number(median(c.rate)); }, "");
  add_calls(rows, contest);
}

}  // namespace

std::vector<Table> measure_hit_cost(const Options& options) {
  Table table{.title = "The cost of a hit",
              .note =
                  "One server thread alone on a CPU, wrk with 64 keep-alive connections on the "
                  "other, one key, in memory. User and system time of the server by "
                  "/proc/PID/task/*/schedstat, divided by the answers that wrk counted; " +
                  std::to_string(options.rounds()) +
                  " rounds of a second in turn, medians; the ratio is taken round by round. "
                  "Access logs are off. The bare loop is bench/epoll_loop.cpp. nginx's cache "
                  "is files, kept by the kernel's page cache. System calls are counted by the "
                  "kernel's trace points in a run of their own.",
              .columns = {"measured", "must", "bare loop", "tanggul"}};
  for (const Peer& p : peers()) table.columns.emplace_back(p.name);
  table.columns.emplace_back("met");
  for (const std::uint64_t size : {1_KiB, 64_KiB}) measure_size(table, options, size);
  return {table};
}

}  // namespace tanggul::bench
