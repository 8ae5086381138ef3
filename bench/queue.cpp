// Jobs through a queue in one file: two processes that enqueue, claim and acknowledge, each step a
// transaction of its own.
#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <map>
#include <stdexcept>

#include "adapters/sqlite/queue.h"
#include "adapters/sqlite/session.h"
#include "cpu.h"
#include "measurements.h"
#include "support/forked.h"
#include "support/temp_dir.h"

namespace tanggul::bench {
namespace {

constexpr int kProcesses = 2, kJobs = 10'000;  // each
constexpr double kLeastRate = 2000;            // triples a second, of all
constexpr Duration kLease = 1min, kPatience = 10s;

// What a process has done: which jobs it has acknowledged, in its own words.
using Work = std::function<void(int process, const test::Forked::Voice& voice)>;

struct Run {
  double rate = 0;    // triples a second, of all
  std::string words;  // of all processes
};

// All begin together; the time is that of the last. The children are not pinned: they are the whole
// load, and have the machine.
Run run(const Work& work) {
  int gate[2];
  if (::pipe(gate) != 0) throw std::runtime_error("no pipe");
  std::vector<std::unique_ptr<test::Forked>> processes;
  for (int i = 0; i < kProcesses; ++i)
    processes.push_back(std::make_unique<test::Forked>([&, i](const test::Forked::Voice& voice) {
      ::close(gate[1]);
      pin_to_all();
      char byte = 0;
      (void)!::read(gate[0], &byte, 1);
      work(i, voice);
    }));
  ::close(gate[0]);
  const MonoTime began = MonoClock::now();
  ::close(gate[1]);
  Run out;
  for (const auto& process : processes) out.words += process->rest();
  const double took = seconds(MonoClock::now() - began);
  for (const auto& process : processes)
    if (process->wait() != 0) throw std::runtime_error("a process failed: " + out.words);
  out.rate = kProcesses * kJobs / took;
  return out;
}

Run run_queue(const std::string& file) {
  return run([&](int process, const test::Forked::Voice& voice) {
    const auto queue = std::move(sqlite::open_queue({.file = file})).value();
    std::string done;
    for (int i = 0; i < kJobs; ++i) {
      ports::Job job{.key = fmt::format("https://github.com/owner/{}-{}", process, i),
                     .body = R"({"pool":"repo_clone","commit":""})"};
      job.enqueued = wall_now();
      queue->enqueue("repo_clone", job, job.enqueued).value();
      const auto claim = queue->claim("repo_clone", kLease, kPatience).value();
      if (!claim) throw std::runtime_error("nothing to claim");
      if (queue->settle(*claim, {}).value() != ports::Queue::Held::yes)
        throw std::runtime_error("a claim was lost");
      done += claim->job.key + '\n';
    }
    voice.say(std::move(done));
  });
}

// The limit on this machine: three transactions, each of one row of one table.
Run run_bare(const std::string& file) {
  return run([&](int process, const test::Forked::Voice&) {
    const auto session = std::move(sqlite::open_session({file})).value();
    session->script("PRAGMA wal_autocheckpoint = 4096").value();  // as the queue has it
    for (int i = 0; i < 3 * kJobs; ++i)
      session->run("UPDATE t SET n = n + 1 WHERE id = $1", {std::int64_t{process}}).value();
  });
}

// How many of what was put in came out never, and how many more than once.
std::string wrong_of(const std::string& words) {
  std::map<std::string, int> times;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find('\n', at), words.size());
    if (end > at) ++times[words.substr(at, end - at)];
    at = end + 1;
  }
  int doubled = 0;
  for (const auto& [key, count] : times) doubled += count > 1 ? 1 : 0;
  return fmt::format("{} lost, {} doubled", kProcesses * kJobs - static_cast<int>(times.size()),
                     doubled);
}

}  // namespace

Table queue_table() {
  return {.title = "A queue in one file",
          .note = fmt::format(
              "Two processes on one SQLite file (WAL, synchronous=NORMAL) in the folder for "
              "temporary files, {} jobs each: enqueue, claim, acknowledge, each a transaction of "
              "its own. Beside it, in turn, two processes with as many transactions that change "
              "one number of one row. The median of the runs, in all triples a second.",
              kJobs),
          .columns = {"measured", "must", "ours", "bare transactions", "ours of bare", "met"},
          .rows = {}};
}

void measure_queue(const Options& options, Table& table) {
  std::vector<double> ours, bare, of_bare, log;
  std::string wrong = "0 lost, 0 doubled";
  for (int i = 0; i < options.runs() + (options.quick ? 0 : 2); ++i) {
    const test::TempDir folder;
    const std::string file = folder.file("queue.db"), other = folder.file("bare.db");
    (void)std::move(sqlite::open_queue({.file = file})).value();
    std::move(sqlite::open_session({other}))
        .value()
        ->script("CREATE TABLE t(id INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (0,0), (1,0);")
        .value();
    const Run mine = run_queue(file), peer = run_bare(other);
    ours.push_back(mine.rate);
    bare.push_back(peer.rate);
    of_bare.push_back(mine.rate / peer.rate);
    if (const std::string found = wrong_of(mine.words); found != "0 lost, 0 doubled") wrong = found;
  }
  const double rate = median(ours);
  table.rows.push_back({"triples a second, of both · in all runs", "≥ 2000/s · 0 lost, 0 doubled",
                        printed("%.0f/s", rate) + " · " + wrong, printed("%.0f/s", median(bare)),
                        printed("%.2f", median(of_bare)),
                        yes_no(rate >= kLeastRate && wrong == "0 lost, 0 doubled")});
}

}  // namespace tanggul::bench
