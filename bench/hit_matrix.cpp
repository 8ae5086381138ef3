// The cost of a hit for every size, number of connections and store.
#include <iostream>

#include "base/bytes.h"
#include "contest.h"
#include "measurements.h"

namespace tanggul::bench {
namespace {

struct Cell {
  Hits hits;
  int rounds;
};

// The two rows with 64 connections that must hold are hit_cost's.
std::vector<Cell> cells_of(const Options& options) {
  std::vector<Cell> cells;
  for (const Tier tier : {Tier::memory, Tier::disk})
    for (const std::uint64_t size : {1_KiB, 64_KiB, 1_MiB})
      for (const std::size_t connections : {std::size_t{1}, std::size_t{64}, std::size_t{512}}) {
        const bool musts = tier == Tier::memory && connections == 64 && size <= 64_KiB;
        const bool must = tier == Tier::disk && connections == 64 && size == 1_MiB;
        if (musts) continue;
        if (options.quick && connections != 64) continue;
        cells.push_back({{size, connections, tier}, options.quick ? 1 : must ? 5 : 3});
      }
  return cells;
}

std::string name_of(const Hits& h) {
  const std::string size = h.size >= 1_MiB ? std::to_string(h.size >> 20) + " MiB"
                                           : std::to_string(h.size >> 10) + " KiB";
  return size + ", " + (h.tier == Tier::memory ? "memory" : "disk") + ", " +
         std::to_string(h.connections) + (h.connections == 1 ? " connection" : " connections");
}

// A column for each peer, also where it has no such store.
template <class Value>
void add_row(Table& table, const Contest& contest, std::string what, std::string must,
             std::string met, const Value& value) {
  auto& row = table.rows.emplace_back(std::vector<std::string>{std::move(what), std::move(must)});
  const auto cell = [&](std::string_view name) -> std::string {
    for (const Contender& c : contest.contenders())
      if (c.name == name) return c.failure.empty() ? value(c) : "no: " + c.failure;
    return "";
  };
  for (const char* name : {"bare loop", "tanggul"}) row.push_back(cell(name));
  for (const Peer& p : peers()) row.push_back(cell(p.name));
  row.push_back(std::move(met));
}

bool as_fast_as_nginx(const Contest& contest) {
  for (const Contender& c : contest.contenders())
    if (c.name == "nginx") return !c.rate.empty() && median(contest.ours().rate) >= median(c.rate);
  return false;
}

}  // namespace

std::vector<Table> measure_hit_matrix(const Options& options) {
  Table table{.title = "Hits by size, store and connections",
              .note =
                  "As above, fewer rounds. Memory: one key. Disk: keys in turn, several times "
                  "as many as the subject's memory store holds, which is 1 MiB for tanggul "
                  "and none for the others; the page cache is warm. CPU time a request (ratio "
                  "to the bare loop, which sends from its memory) and requests a second. A "
                  "subject that went to the origin for more than a thousandth of the requests "
                  "did not show hits, and its cell says so.",
              .columns = {"measured", "must", "bare loop", "tanggul"}};
  for (const Peer& p : peers()) table.columns.emplace_back(p.name);
  table.columns.emplace_back("met");
  for (const Cell& cell : cells_of(options)) {
    const std::string name = name_of(cell.hits);
    std::cerr << "  " << name << " …\n";
    Contest contest(cell.hits);
    contest.run(cell.rounds);
    add_row(table, contest, name + ": CPU time", "", "", [](const Contender& c) {
      return printed("%.1f µs", median(c.cost_us)) + " (" + ratio(median(c.to_loop)) + ")";
    });
    const bool must =
        cell.hits.tier == Tier::disk && cell.hits.connections == 64 && cell.hits.size == 1_MiB;
    add_row(table, contest, name + ": requests a second", must ? "≥ nginx" : "",
            must ? yes_no(as_fast_as_nginx(contest)) : "",
            [](const Contender& c) { return number(median(c.rate)); });
  }
  return {table};
}

}  // namespace tanggul::bench
