// From starting the program to its first 200, with nothing in its store. A start with a full store
// has a table of its own in this file's place as soon as there is a store that outlives a process.
#include <stdexcept>

#include "base/bytes.h"
#include "compare.h"
#include "measurements.h"
#include "scripts.h"
#include "support/http_client.h"

namespace tanggul::bench {
namespace {

// The process has its port, or start() would not have come back; from there to an answer.
Figures first_answer(const StartSubject& start) {
  test::ScriptedOrigin origin(dated(body_of(1_KiB)));
  const MonoTime began = MonoClock::now();
  const SubjectPtr subject = start(origin);
  while (test::get(subject->port(), subject->at("/k")).status != 200)
    if (MonoClock::now() - began > 20s) throw std::runtime_error("no 200 within 20 s");
  return {{"start", in_ms(MonoClock::now() - began)}};
}

}  // namespace

void measure_cold_start(const Options& options, Table& musts) {
  Compared all;
  for (int run = 0; run < options.runs(); ++run) {
    all.ours.add(first_answer(tanggul_with()));
    for (const Peer& p : peers()) {
      Side& side = all.peers[std::string(p.name)];
      if (!side.failure().empty()) continue;
      const Tier tier = p.has_disk ? Tier::disk : Tier::memory;
      try {
        side.add(first_answer([&](const auto& origin) { return p.start(origin, tier); }));
      } catch (const std::exception& error) {
        side.fail(one_line(error.what()));
      }
    }
  }
  const auto cell = [](const Side& side) { return ms(side.median("start")); };
  add(musts, {.what = "start with an empty disk store, to the first 200",
              .must = "≤ 1 s",
              .ours = cell(all.ours),
              .peers = all.cells(cell),
              .met = all.ours.median("start") <= 1000});
}

}  // namespace tanggul::bench
