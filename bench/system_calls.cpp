#include "system_calls.h"

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tanggul::bench {
namespace {

constexpr const char* kEvents =
    "syscalls:sys_enter_recvfrom,syscalls:sys_enter_recvmsg,syscalls:sys_enter_read,"
    "syscalls:sys_enter_readv,syscalls:sys_enter_pread64,"
    "syscalls:sys_enter_sendto,syscalls:sys_enter_sendmsg,syscalls:sys_enter_write,"
    "syscalls:sys_enter_writev,syscalls:sys_enter_sendfile64,"
    "syscalls:sys_enter_epoll_wait,syscalls:sys_enter_epoll_pwait,syscalls:sys_enter_poll,"
    "syscalls:sys_enter_select,raw_syscalls:sys_enter";

bool one_of(std::string_view event, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (event == name) return true;
  return false;
}

// Lines of perf's own comma separated form: count, unit, event, …
SystemCalls parsed(const std::string& text, double requests) {
  SystemCalls calls;
  double all = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const double each = std::strtod(line.c_str(), nullptr) / requests;
    const std::size_t comma = line.find(',', line.find(',') + 1);
    std::string event = line.substr(comma + 1, line.find(',', comma + 1) - comma - 1);
    if (event == "raw_syscalls:sys_enter") all = each;
    constexpr std::string_view kPrefix = "syscalls:sys_enter_";
    if (!event.starts_with(kPrefix)) continue;
    event.erase(0, kPrefix.size());
    if (one_of(event, {"recvfrom", "recvmsg", "read", "readv", "pread64"})) {
      calls.receive += each;
    } else if (one_of(event, {"epoll_wait", "epoll_pwait", "poll", "select"})) {
      calls.wait += each;
    } else {
      calls.send += each;
    }
  }
  if (all == 0) throw std::runtime_error("perf: " + text);
  calls.other = std::max(0.0, all - calls.receive - calls.send - calls.wait);
  return calls;
}

}  // namespace

SystemCalls count_system_calls(const Subject& subject, const WrkLoad& load) {
  std::string pids;
  for (const pid_t pid : subject.pids()) pids += (pids.empty() ? "" : ",") + std::to_string(pid);
  const test::TempDir dir;
  const std::string file = dir.file("counts");
  test::Process perf({.args = {"perf", "stat", "-x,", "-o", file, "-e", kEvents, "-p", pids}});
  std::this_thread::sleep_for(500ms);  // it tells nobody when it counts
  if (!perf.running()) throw std::runtime_error("perf: " + perf.out() + perf.err());
  // Long enough that the first and the last calls of each connection do not count.
  WrkLoad longer = load;
  longer.length = 3s;
  const double requests = run_wrk(subject.port(), longer);
  perf.signal(SIGINT);
  perf.wait(5s);
  return parsed(test::read_file(file), requests);
}

std::string to_cell(const SystemCalls& calls) {
  char text[80];
  std::snprintf(text, sizeof text, "%.2f · %.2f · %.2f · %.2f", calls.receive, calls.send,
                calls.wait, calls.other);
  return text;
}

}  // namespace tanggul::bench
