// The whole program as a worker of the fleet, against real repositories on this machine.
#include <fmt/format.h>

#include <array>
#include <regex>
#include <stdexcept>

#include "base/bytes.h"
#include "cpu.h"
#include "measurements.h"
#include "support/git_server.h"
#include "support/process.h"
#include "support/tanggul_process.h"
#include "support/temp_dir.h"

namespace tanggul::bench {
namespace {

constexpr ByteCount kLimit = 512_MiB;
constexpr double kTolerance = 0.1;  // of the limit
constexpr Duration kSlotBack = 5s;
constexpr int kRepositories = 60;
constexpr const char* kReadme =
    "# Thing\n\nThe code of [our paper](https://arxiv.org/abs/2301.00001).\n";

// How jobs are kept from groups of their own: a folder over those of the kernel.
enum class Groups { as_they_are, hidden };

class Worker {
 public:
  explicit Worker(const std::string& pools) {
    config_ = dir_.write("tanggul.yaml", "data_dir: " + dir_.file("data") +
                                             "\nsync:\n  listen: 127.0.0.1:0\n"
                                             "  internal_hosts: [127.0.0.1]\n  pools:\n" +
                                             pools);
  }

  test::GitServer& git() { return git_; }
  void enqueue(const std::string& names) const {
    const auto done =
        test::run_command({.args = {test::tanggul_binary(), "sync", "enqueue", "--file",
                                    dir_.write("list", names), "--config", config_}});
    if (done.status != 0) throw std::runtime_error("sync enqueue: " + done.err);
  }
  // Until nothing is due; what it has logged.
  std::string work(Groups groups, std::map<std::string, std::string> env = {}) const {
    std::vector<std::string> args{
        test::tanggul_binary(), "sync", "work", "--once", "--config", config_};
    if (groups == Groups::hidden)
      args.insert(args.begin(), {"unshare", "--mount", "sh", "-c",
                                 "mount -t tmpfs none /sys/fs/cgroup && exec \"$@\"", "sh"});
    test::Process process({.args = std::move(args), .env = std::move(env)});
    if (process.wait(300s) != 0) throw std::runtime_error("sync work: " + process.err());
    return process.err();
  }

 private:
  const test::TempDir dir_;
  std::string config_;
  test::GitServer git_;
};

// A line of the log that tells the end of a job.
struct Ended {
  double at = 0;  // seconds of the day
  std::string slot, name, outcome;
  double took = 0, peak = 0;  // seconds, MiB
};

std::vector<Ended> ended_in(const std::string& log) {
  static const std::regex kLine(
      R"(T(\d+):(\d+):([\d.]+)\S* info (\S+) \S*/(\w+) (\w+) in ([\d.]+) s, (\d+) MiB)");
  std::vector<Ended> out;
  for (std::sregex_iterator at(log.begin(), log.end(), kLine), end; at != end; ++at) {
    const std::smatch& m = *at;
    out.push_back({std::stod(m[1]) * 3600 + std::stod(m[2]) * 60 + std::stod(m[3]), m[4], m[5],
                   m[6], std::stod(m[7]), std::stod(m[8])});
  }
  return out;
}

struct Stopped {
  double peak = 0;       // MiB, of the first pool's
  double slot_back = 0;  // seconds until the slot has the next job
  bool others_well = false, moved_once = false;
};

// One slot, so that the one after the greedy one is the same slot's.
Stopped stop_a_greedy_job(Groups groups) {
  Worker worker(
      "    repo_clone: { workers: 1 }\n    repo_clone_large: { workers: 1, memory: 1GiB }\n");
  worker.git().make("greedy", {{"README.md", kReadme}});
  worker.git().make("after", {{"README.md", kReadme}});
  worker.enqueue(worker.git().url("greedy") + "\n" + worker.git().url("after") + "\n");
  const auto all = ended_in(worker.work(groups, {{"TANGGUL_FAULT", "allocate 4GiB greedy"}}));
  Stopped out;
  int ooms = 0;
  double stopped_at = 0;
  for (const Ended& job : all) {
    if (job.name == "greedy" && job.outcome == "oom" && ++ooms == 1) {
      out.peak = job.peak;
      stopped_at = job.at;
    }
    if (job.name != "after") continue;
    out.others_well = job.outcome == "changed";
    out.slot_back = std::max(0.0, job.at - job.took - stopped_at);
  }
  out.moved_once = ooms == 2 && all.size() == 3;
  return out;
}

double jobs_a_second() {
  Worker worker("    repo_clone: { workers: 2 }\n");
  std::string names;
  for (int i = 0; i < kRepositories; ++i) {
    const std::string name = "r" + std::to_string(i);
    worker.git().make(name, {{"README.md", kReadme}});
    names += worker.git().url(name) + "\n";
  }
  worker.enqueue(names);
  const auto all = ended_in(worker.work(Groups::as_they_are));
  if (all.size() != kRepositories) throw std::runtime_error("not all were read");
  double first = all.front().at - all.front().took, last = 0;
  for (const Ended& job : all) {
    first = std::min(first, job.at - job.took);
    last = std::max(last, job.at);
  }
  return kRepositories / (last - first);
}

void add_stop(const Options& options, Groups groups, const char* how, Table& table) {
  std::vector<double> peaks, backs;
  bool well = true;
  for (int i = 0; i < options.runs(); ++i) {
    const Stopped stopped = stop_a_greedy_job(groups);
    peaks.push_back(stopped.peak);
    backs.push_back(stopped.slot_back);
    well = well && stopped.others_well && stopped.moved_once;
  }
  const double limit = static_cast<double>(kLimit / 1_MiB);
  const auto [least, most] = std::minmax_element(peaks.begin(), peaks.end());
  const double slowest = *std::max_element(backs.begin(), backs.end());
  table.rows.push_back(
      {fmt::format(
           "a job that wants 4 GiB, {}: its memory when stopped · to the next job of its slot "
           "· the rest",
           how),
       "512 MiB ± 10 % · ≤ 5 s · once to the large pool, then kept apart; nobody else loses",
       fmt::format("{:.0f} to {:.0f} MiB · {:.2f} s · {}", *least, *most, slowest,
                   well ? "so" : "not so"),
       yes_no(*least >= limit * (1 - kTolerance) && *most <= limit * (1 + kTolerance) &&
              slowest <= seconds(kSlotBack) && well)});
}

}  // namespace

Table fleet_table() {
  return {
      .title = "A worker of the fleet",
      .note = fmt::format(
          "tanggul sync work --once on queue and catalog in files, against bare repositories that "
          "git's own http-backend serves on this machine, which shares its CPUs. Memory is that "
          "of the job's process with all that it starts, as it was bounded. Of stops the worst of "
          "the runs; of speed the median, {} repositories of one README, two slots.",
          kRepositories),
      .columns = {"measured", "must", "ours", "met"},
      .rows = {}};
}

void measure_fleet(const Options& options, Table& table) {
  pin_to_all();
  add_stop(options, Groups::as_they_are, "in a control group", table);
  add_stop(options, Groups::hidden, "looked at", table);
  std::vector<double> speeds;
  for (int i = 0; i < options.runs(); ++i) speeds.push_back(jobs_a_second());
  table.rows.push_back(
      {"jobs a second: look, clone, read, catalog", "", printed("%.1f", median(speeds)), ""});
}

}  // namespace tanggul::bench
