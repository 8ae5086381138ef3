// What a second thread costs each request, and whether a hit ever waits for another thread.
#include <signal.h>

#include <sstream>
#include <stdexcept>

#include "base/bytes.h"
#include "compare.h"
#include "cpu.h"
#include "measurements.h"
#include "paced_load.h"
#include "scripts.h"
#include "wrk.h"

namespace tanggul::bench {
namespace {

constexpr double kMost = 1.1, kMostWaits = 1;  // × one thread's; a thousand hits

double cost_us(const Tanggul& subject) {
  const std::vector<pid_t> pids = subject.pids();
  const Duration before = cpu_time(pids);
  const double requests = run_wrk(subject.port(), {.target = subject.at("/k")});
  return seconds(cpu_time(pids) - before) * 1e6 / requests;
}

// Calls of futex that strace saw, whatever they were for.
double futex_calls(const Tanggul& subject, std::uint64_t requests) {
  const test::TempDir dir;
  const std::string file = dir.file("calls");
  test::Process strace({.args = {"strace", "-c", "-f", "-e", "trace=futex", "-o", file, "-p",
                                 std::to_string(subject.pids().front())}});
  if (!strace.wait_for_output("attached", 5s)) throw std::runtime_error("strace: " + strace.err());
  run_paced(subject.port(), {.connections = 64, .total = requests, .target = [&](std::uint64_t) {
                               return subject.at("/k");
                             }});
  strace.signal(SIGINT);
  strace.wait(5s);
  std::istringstream lines(test::read_file(file));
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with("futex")) continue;
    std::istringstream fields(line);
    double percent = 0, spent = 0, each = 0, calls = 0;
    fields >> percent >> spent >> each >> calls;
    return calls;
  }
  return 0;
}

}  // namespace

void measure_threads(const Options& options, Table& musts) {
  test::ScriptedOrigin origin(body_of(1_KiB));
  // Both may run on either CPU, so that nothing but the second thread is different.
  pin_to_all();
  const Tanggul one(origin, "", "", 1, Tanggul::Placed::anywhere);
  const Tanggul two(origin, "", "", 2, Tanggul::Placed::anywhere);
  pin_to(kLoadCpu);
  std::vector<double> ratios, ones, twos;
  for (const Tanggul* t : {&one, &two}) cost_us(*t);
  for (int round = 0; round < options.rounds(); ++round) {
    ones.push_back(cost_us(one));
    twos.push_back(cost_us(two));
    ratios.push_back(twos.back() / ones.back());
  }
  add(musts, {.what = "1 KiB hits, two threads: CPU time a request beside one thread's (medians)",
              .must = "≤ 1.1 ×",
              .ours = printed("%.2f µs / ", median(twos)) + printed("%.2f µs, ", median(ones)) +
                      ratio(median(ratios)),
              .peers = {},
              .met = median(ratios) <= kMost});
  const std::uint64_t requests = options.quick ? 10'000 : 50'000;
  const double waits = futex_calls(two, requests) * 1000 / static_cast<double>(requests);
  add(musts, {.what = "the same: futex calls a thousand hits",
              .must = "≤ 1",
              .ours = printed("%.2f", waits),
              .peers = {},
              .met = waits <= kMostWaits});
}

}  // namespace tanggul::bench
