// tanggul_bench: tanggul beside its peers, in one run on this machine, as Markdown and a picture.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "compare.h"
#include "cpu.h"
#include "measurements.h"
#include "nodes.h"
#include "report.h"
#include "support/wire.h"

namespace tanggul::bench {
namespace {

Table herds_table() { return musts_table("Herds and outages"); }
Table cost_table() { return musts_table("Waiting, threads, memory, start"); }

// Rows of a table of what must hold, or tables of its own.
struct Part {
  const char* name;
  void (*rows)(const Options&, Table&) = nullptr;
  std::vector<Table> (*tables)(const Options&) = nullptr;
  Table (*table)() = herds_table;  // where its rows stand
};

constexpr Part kParts[] = {
    {.name = "hit_cost", .tables = measure_hit_cost},
    {.name = "hit_matrix", .tables = measure_hit_matrix},
    {.name = "latency", .rows = measure_latency, .table = cost_table},
    {.name = "threads", .rows = measure_threads, .table = cost_table},
    {.name = "idle_memory", .rows = measure_idle_memory, .table = cost_table},
    {.name = "cold_start", .rows = measure_cold_start, .table = cost_table},
    {.name = "full_store", .rows = measure_full_store, .table = cost_table},
    {.name = "misses", .rows = measure_misses},
    {.name = "leaver", .rows = measure_leaver},
    {.name = "waves_of_503", .rows = measure_waves_of_503},
    {.name = "never_answers", .rows = measure_never_answers},
    {.name = "cut_bodies", .rows = measure_cut_bodies},
    {.name = "slow_reader", .rows = measure_slow_reader},
    {.name = "slow_reader_to_the_end", .rows = measure_slow_reader_to_the_end},
    {.name = "late_joiner", .rows = measure_late_joiner},
    {.name = "breaker", .rows = measure_breaker},
    {.name = "all_leave", .rows = measure_all_leave},
    {.name = "drip", .rows = measure_drip},
    {.name = "hot_key", .rows = measure_hot_key},
    {.name = "unique_keys", .rows = measure_unique_keys},
    {.name = "isolation", .rows = measure_isolation},
    {.name = "gate", .rows = measure_gate},
    {.name = "sql_herd", .rows = measure_sql_herd, .table = sql_table},
    {.name = "sql_leaver", .rows = measure_sql_leaver, .table = sql_table},
    {.name = "sql_hangs", .rows = measure_sql_hangs, .table = sql_table},
    {.name = "sql_failing", .rows = measure_sql_failing, .table = sql_table},
    {.name = "sql_hot", .rows = measure_sql_hot, .table = sql_table},
    {.name = "sql_ids", .rows = measure_sql_ids, .table = sql_table},
    {.name = "cluster_cold_key", .rows = measure_cluster_cold_key, .table = cluster_table},
    {.name = "cluster_stream", .rows = measure_cluster_stream, .table = cluster_table},
    {.name = "cluster_expiry", .rows = measure_cluster_expiry, .table = cluster_table},
    {.name = "cluster_wake", .rows = measure_cluster_wake, .table = cluster_table},
    {.name = "cluster_hit", .rows = measure_cluster_hit, .table = cluster_table},
    {.name = "cluster_lease", .rows = measure_cluster_lease, .table = cluster_table},
    {.name = "cluster_redis_dies", .rows = measure_cluster_redis_dies, .table = cluster_table},
    {.name = "cluster_limits", .rows = measure_cluster_limits, .table = cluster_table},
    {.name = "cluster_dead_origin", .rows = measure_cluster_dead_origin, .table = cluster_table},
    {.name = "library", .tables = measure_library},
    {.name = "readers", .rows = measure_readers, .table = readers_table},
    {.name = "queue", .rows = measure_queue, .table = queue_table},
    {.name = "fleet", .rows = measure_fleet, .table = fleet_table},
};

// A part that fails is a row that says so; the others still run.
std::vector<Table> run(const Part& part, const Options& options) {
  std::cerr << part.name << " …\n";
  Table table = part.table();
  try {
    if (part.tables != nullptr) return part.tables(options);
    part.rows(options, table);
  } catch (const std::exception& error) {
    std::cerr << part.name << ": " << error.what() << "\n";
    add(table, {.what = std::string(part.name) + ": could not be measured",
                .must = {},
                .ours = one_line(error.what()),
                .peers = {},
                .met = false});
  }
  return {table};
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Part& part : kParts) out.emplace_back(part.name);
  return out;
}

// Debian keeps some servers where only root looks.
void look_for_servers_too() {
  const char* path = std::getenv("PATH");
  ::setenv("PATH", (std::string(path ? path : "/usr/bin:/bin") + ":/usr/sbin:/sbin").c_str(), 1);
}

void write(const Results& results, const std::vector<std::string>& parts, const std::string& file) {
  const std::vector<Table> tables = results.of(parts);
  const std::string picture = to_picture(tables);
  const std::string picture_file = std::filesystem::path(file).replace_extension(".svg").string();
  const bool has_picture = !file.empty() && !picture.empty();
  const std::string text =
      to_report(tables, has_picture ? std::filesystem::path(picture_file).filename().string() : "");
  std::cout << text;
  if (file.empty()) return;
  std::ofstream(file) << text;
  if (has_picture) std::ofstream(picture_file) << picture;
}

}  // namespace
}  // namespace tanggul::bench

int main(int argc, char** argv) {
  using namespace tanggul::bench;
  Options options;
  std::vector<std::string> only;
  std::string file, folder = "build/bench/results";
  bool all_kept = false;
  CLI::App app("Measures tanggul beside its peers and a bare epoll loop.");
  app.add_flag("--quick", options.quick, "one run each, without what takes minutes");
  app.add_option("--only", only, "these parts alone")->check(CLI::IsMember(names()));
  app.add_option("--results", folder, "where each part's result is kept (" + folder + ")");
  app.add_flag("--with-kept", all_kept, "report the kept results of the other parts too");
  app.add_option("--out", file, "write the report to this file too, its picture beside it");
  CLI11_PARSE(app, argc, argv);
  look_for_servers_too();
  tanggul::test::raise_file_limit();  // the servers inherit it
  pin_to(kLoadCpu);
  const Results results(folder);
  const auto chosen = [&](const std::string& name) {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  std::vector<std::string> reported;
  for (const Part& part : kParts) {
    if (chosen(part.name)) results.keep(part.name, run(part, options));
    if (chosen(part.name) || all_kept) reported.emplace_back(part.name);
  }
  write(results, reported, file);
}
