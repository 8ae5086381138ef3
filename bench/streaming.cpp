// Bodies on their way: one who reads slowly, one who comes late.
#include <algorithm>
#include <thread>

#include "base/bytes.h"
#include "compare.h"
#include "crowd.h"
#include "measurements.h"
#include "scripts.h"

namespace tanggul::bench {
namespace {

constexpr ByteCount kLarge = 64_MiB;

// The last byte of the last one from `first` on, and whether all of them are whole.
struct Last {
  double ms = 0;
  bool whole = true;
};
Last last_of(const std::vector<Reading>& readings, std::size_t first) {
  Last last;
  for (std::size_t i = first; i < readings.size(); ++i) {
    last.ms = std::max(last.ms, in_ms(readings[i].last_byte));
    last.whole &= readings[i].complete && readings[i].status == 200;
  }
  return last;
}

// The same crowd twice, with and without the slow one, the order changing from run to run.
Figures with_and_without(Subject& subject, test::ScriptedOrigin& origin, bool slow_first) {
  origin.set_prefix("/big", body_of(kLarge));
  Last with, without;
  for (const bool slow : {slow_first, !slow_first}) {
    const auto readings = read_all(subject.port(), {.target = slow ? "/o/big-slow" : "/o/big-fast",
                                                    .readers = slow ? 200U : 199U,
                                                    .slow_bytes_per_second = slow ? 64_KiB : 0,
                                                    .slow_leaves_with_the_rest = true});
    (slow ? with : without) = last_of(readings, slow ? 1 : 0);
  }
  return {{"with", with.ms},
          {"without", without.ms},
          {"ratio", with.ms / without.ms},
          {"whole", with.whole && without.whole ? 1 : 0},
          {"requests", static_cast<double>(origin.requests())},
          {"peak_rss", static_cast<double>(subject.peak_rss())}};
}

Figures to_the_end(Subject& subject, test::ScriptedOrigin& origin) {
  origin.set("/a", body_of(1_MiB));
  const auto readings = read_all(
      subject.port(), {.target = subject.at("/a"), .readers = 20, .slow_bytes_per_second = 64_KiB});
  const auto whole = std::count_if(readings.begin(), readings.end(),
                                   [](const Reading& r) { return r.status == 200 && r.complete; });
  return {{"whole", static_cast<double>(whole)}, {"slow", in_ms(readings[0].last_byte)}};
}

Figures late_joiner(Subject& subject, test::ScriptedOrigin& origin) {
  test::Script paced = body_of(kLarge);
  paced.bytes_per_second = 32_MiB;
  origin.set("/big", paced);
  std::vector<Reading> first;
  std::thread early([&] { first = read_all(subject.port(), {.target = "/o/big"}); });
  while (origin.in_progress() == 0) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(500ms);
  const auto late = read_all(subject.port(), {.target = "/o/big", .leave_at_head = true});
  early.join();
  return {{"first_byte", in_ms(late[0].first_byte)},
          {"whole", first[0].complete ? 1 : 0},
          {"requests", static_cast<double>(origin.requests())}};
}

}  // namespace

void measure_slow_reader(const Options& options, Table& musts) {
  bool slow_first = false;
  const Compared c =
      compare({options.runs(), 1}, tanggul_with(), [&](Subject& s, test::ScriptedOrigin& o) {
        slow_first = !slow_first;
        return with_and_without(s, o, slow_first);
      });
  const std::string what = "200 clients of 64 MiB, one at 64 KiB/s: ";
  add(musts, {.what = what + "last of the 199, with → without it",
              .must = "≤ 1.1 ×, all whole",
              .ours = ms(c.ours.median("with")) + " → " + ms(c.ours.median("without")) + ", " +
                      ratio(c.ours.median("ratio")),
              .peers = c.cells([](const Side& p) {
                return ms(p.median("with")) + " → " + ms(p.median("without")) + ", " +
                       ratio(p.median("ratio"));
              }),
              .met = c.ours.median("ratio") <= 1.1 && c.ours.least("whole") == 1});
  add(musts, {.what = what + "requests at the origin for the two bodies",
              .must = "2",
              .ours = number(c.ours.most("requests")),
              .peers = c.cells([](const Side& p) { return number(p.most("requests")); }),
              .met = c.ours.most("requests") == 2});
  add(musts, {.what = what + "peak RSS",
              .must = "≤ 120 MiB",
              .ours = mib(c.ours.most("peak_rss")),
              .peers = c.cells([](const Side& p) { return mib(p.most("peak_rss")); }),
              .met = c.ours.most("peak_rss") <= 120 << 20});
}

void measure_slow_reader_to_the_end(const Options&, Table& musts) {
  const Compared c = compare({1, 1}, tanggul_with(), to_the_end);
  const auto cell = [](const Side& side) {
    return number(side.least("whole")) + " (" + ms(side.median("slow")) + ")";
  };
  add(musts,
      {.what = "20 clients of 1 MiB, one at 64 KiB/s to its end: whole (the slow one's time)",
       .must = "20",
       .ours = cell(c.ours),
       .peers = c.cells(cell),
       .met = c.ours.least("whole") == 20});
}

void measure_late_joiner(const Options& options, Table& musts) {
  const Compared c = compare({options.runs(), options.runs()}, tanggul_with(), late_joiner);
  add(musts, {.what = "joining a running download of 64 MiB: first byte",
              .must = "≤ 20 ms, 1 request",
              .ours = ms(c.ours.median("first_byte")) + ", " + number(c.ours.most("requests")),
              .peers = c.cells([](const Side& p) {
                return ms(p.median("first_byte")) + ", " + number(p.most("requests"));
              }),
              .met = c.ours.median("first_byte") <= 20 && c.ours.most("requests") == 1});
}

}  // namespace tanggul::bench
