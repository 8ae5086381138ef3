// What a warm hit costs: CPU time of the server for each request, by the kernel's own count.
#include <signal.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/bytes.h"
#include "cpu.h"
#include "measurements.h"
#include "paced_load.h"
#include "scripts.h"
#include "subject.h"

namespace tanggul::bench {
namespace {

struct Contender {
  SubjectPtr subject;
  std::vector<double> cost_us, rate, to_loop;  // a round each
};

// wrk's count of answers; throws where one of them was not good.
double load(std::uint16_t port) {
  const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/o/k";
  const auto r = test::run_command({.args = {"wrk", "-t1", "-c64", "-d1s", url}});
  const std::size_t end = r.out.find(" requests in ");
  const bool bad = r.out.find("Non-2xx") != r.out.npos || r.out.find("Socket err") != r.out.npos;
  if (r.status != 0 || end == r.out.npos || bad) {
    throw std::runtime_error("wrk: " + r.out + r.err);
  }
  const std::size_t start = r.out.rfind('\n', end) + 1;
  return std::strtod(r.out.substr(start, end - start).c_str(), nullptr);
}

void run_round(Contender& c) {
  const std::vector<pid_t> pids = c.subject->pids();
  const Duration before = cpu_time(pids);
  const MonoTime start = MonoClock::now();
  const double requests = load(c.subject->port());
  c.rate.push_back(requests / seconds(MonoClock::now() - start));
  c.cost_us.push_back(seconds(cpu_time(pids) - before) * 1e6 / requests);
}

// Calls that the kernel saw for each request; empty where strace is not to be had.
std::string syscalls_per_request(const Subject& subject) {
  constexpr std::uint64_t kRequests = 5000;
  const test::TempDir dir;
  const std::string file = dir.file("calls");
  test::ProcessSpec spec{.args = {"strace", "-c", "-f", "-o", file}};
  for (const pid_t pid : subject.pids()) {
    spec.args.insert(spec.args.end(), {"-p", std::to_string(pid)});
  }
  test::Process strace(std::move(spec));
  if (!strace.wait_for_output("attached", 3s)) return {};
  run_paced(subject.port(), {.connections = 64, .total = kRequests, .target = [](std::uint64_t) {
                               return std::string("/o/k");
                             }});
  strace.signal(SIGINT);
  strace.wait(5s);
  std::istringstream lines(test::read_file(file));
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with("total")) continue;
    std::istringstream fields(line);
    double percent = 0, spent = 0, each = 0, calls = 0;
    fields >> percent >> spent >> each >> calls;
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", calls / static_cast<double>(kRequests));
    return text;
  }
  return {};
}

std::string printed(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void add_rows(Table& table, const Options& options, std::uint64_t size) {
  test::ScriptedOrigin origin(body_of(size));
  std::vector<Contender> all(3);
  all[0].subject = start_epoll_loop(size);
  all[1].subject = tanggul_with()(origin);
  all[2].subject = start_nginx(origin);
  for (const Contender& c : all) load(c.subject->port());  // filled and warm
  for (int round = 0; round < options.rounds(); ++round) {
    for (Contender& c : all) run_round(c);
    for (Contender& c : all) c.to_loop.push_back(c.cost_us.back() / all[0].cost_us.back());
  }
  const std::string kib = std::to_string(size >> 10) + " KiB hit";
  const auto row = [&](const std::string& what, auto cell) {
    table.rows.push_back({kib + what, cell(all[0]), cell(all[1]), cell(all[2])});
  };
  row(", CPU time a request",
      [](const Contender& c) { return printed(median(c.cost_us), "%.2f µs"); });
  row(", ratio to the bare loop", [](const Contender& c) { return ratio(median(c.to_loop)); });
  row(", requests a second", [](const Contender& c) { return number(median(c.rate)); });
  row(", system calls a request",
      [](const Contender& c) { return syscalls_per_request(*c.subject); });
}

}  // namespace

Table measure_hit_cost(const Options& options) {
  Table table{.title = "The cost of a hit",
              .note =
                  "One server thread alone on a CPU, wrk with 64 keep-alive connections on the "
                  "other. User and system time of the server by /proc/PID/stat, divided by "
                  "the answers that wrk counted; " +
                  std::to_string(options.rounds()) +
                  " rounds of a second in turn, medians; the ratio is taken round by round. "
                  "Access logs are off. The bare loop is bench/epoll_loop.cpp.",
              .columns = {"measured", "bare loop", "tanggul", "nginx"}};
  for (const std::uint64_t size : {1_KiB, 64_KiB}) add_rows(table, options, size);
  return table;
}

}  // namespace tanggul::bench
