// tanggul_bench: tanggul beside its peers, in one run on this machine, as Markdown.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "compare.h"
#include "cpu.h"
#include "measurements.h"

namespace tanggul::bench {
namespace {

struct Named {
  const char* name;
  void (*measure)(const Options&, Table&);
};

constexpr Named kMusts[] = {
    {"misses", measure_misses},
    {"leaver", measure_leaver},
    {"waves_of_503", measure_waves_of_503},
    {"never_answers", measure_never_answers},
    {"cut_bodies", measure_cut_bodies},
    {"slow_reader", measure_slow_reader},
    {"slow_reader_to_the_end", measure_slow_reader_to_the_end},
    {"late_joiner", measure_late_joiner},
    {"breaker", measure_breaker},
    {"all_leave", measure_all_leave},
    {"drip", measure_drip},
    {"hot_key", measure_hot_key},
    {"unique_keys", measure_unique_keys},
    {"isolation", measure_isolation},
    {"gate", measure_gate},
};

// A story that fails is a row that says so; the others still run.
void run(const Named& named, const Options& options, Table& musts) {
  std::cerr << named.name << " …\n";
  try {
    named.measure(options, musts);
  } catch (const std::exception& error) {
    std::cerr << named.name << ": " << error.what() << "\n";
    add(musts, {.what = std::string(named.name) + ": could not be measured", .met = false});
  }
}

std::string report(const Options& options, const std::string& only) {
  std::string out =
      "# Benchmarks\n\nWritten by `tanggul_bench` (`./dev bench`). Server on one CPU, "
      "load generator and origin on the other, all on loopback.\n\n" +
      describe_machine();
  if (only.empty() || only == "hit_cost") {
    std::cerr << "hit_cost …\n";
    out += "\n" + to_markdown(measure_hit_cost(options));
  }
  Table musts = musts_table();
  for (const Named& named : kMusts) {
    if (only.empty() || only == named.name) run(named, options, musts);
  }
  if (!musts.rows.empty()) out += "\n" + to_markdown(musts);
  return out;
}

bool known(const std::string& name) {
  const auto same = [&](const Named& n) { return name == n.name; };
  return name.empty() || name == "hit_cost" ||
         std::any_of(std::begin(kMusts), std::end(kMusts), same);
}

std::string names() {
  std::string out = "hit_cost";
  for (const Named& named : kMusts) out += std::string(" ") + named.name;
  return out;
}

}  // namespace
}  // namespace tanggul::bench

int main(int argc, char** argv) {
  using namespace tanggul::bench;
  Options options;
  std::string only, file;
  CLI::App app("Measures tanggul beside nginx and a bare epoll loop.");
  app.add_flag("--quick", options.quick, "one run each, without what takes minutes");
  app.add_option("--only", only, "one of: " + names());
  app.add_option("--out", file, "write the report to this file too");
  CLI11_PARSE(app, argc, argv);
  if (!known(only)) {
    std::cerr << "tanggul_bench: --only takes one of: " << names() << "\n";
    return 2;
  }
  pin_to(kLoadCpu);
  const std::string text = report(options, only);
  std::cout << text;
  if (!file.empty()) std::ofstream(file) << text;
}
