#include "compare.h"

#include <algorithm>
#include <stdexcept>

#include "measure.h"

namespace tanggul::bench {
namespace {

void run_once(Side& side, const StartSubject& start, const Story& story) {
  test::ScriptedOrigin origin;
  const SubjectPtr subject = start(origin);
  side.add(story(*subject, origin));
}

}  // namespace

void Side::add(const Figures& figures) {
  for (const auto& [name, value] : figures) values_[name].push_back(value);
}

const std::vector<double>& Side::of(const std::string& name) const {
  const auto it = values_.find(name);
  if (it == values_.end()) throw std::logic_error("no figure called " + name);
  return it->second;
}

double Side::median(const std::string& name) const { return bench::median(of(name)); }
double Side::most(const std::string& name) const {
  return *std::max_element(of(name).begin(), of(name).end());
}
double Side::least(const std::string& name) const {
  return *std::min_element(of(name).begin(), of(name).end());
}

Cells Compared::cells(const std::function<std::string(const Side&)>& cell) const {
  Cells out;
  for (const auto& [name, side] : peers)
    out[name] = side.failure().empty() ? cell(side) : "failed: " + side.failure();
  return out;
}

Compared compare(Runs runs, const StartSubject& ours, const Story& story) {
  Compared all;
  for (int i = 0; i < std::max({runs.ours, runs.nginx, runs.others}); ++i) {
    if (i < runs.ours) run_once(all.ours, ours, story);
    for (const Peer& p : peers()) {
      if (i >= (p.name == "nginx" ? runs.nginx : runs.others)) continue;
      Side& side = all.peers[std::string(p.name)];
      if (!side.failure().empty()) continue;
      const auto start = [&](const test::ScriptedOrigin& o) { return p.start(o, Tier::memory); };
      try {
        run_once(side, start, story);
      } catch (const std::exception& error) {
        side.fail(one_line(error.what()));
      }
    }
  }
  return all;
}

Table musts_table(std::string title) {
  Table table{.title = std::move(title),
              .note =
                  "Each run has a fresh process, cache and origin. Times are medians, counts "
                  "the worst run; ours and the peers (bench/peers) take turns, nginx as often "
                  "as we where it takes part, the others less often.",
              .columns = {"measured", "must", "tanggul"}};
  for (const Peer& p : peers()) table.columns.emplace_back(p.name);
  table.columns.emplace_back("met");
  return table;
}

void add(Table& musts, const Must& row) {
  auto& cells = musts.rows.emplace_back(std::vector<std::string>{row.what, row.must, row.ours});
  const auto& columns = musts.columns;  // the first three and the last are no peer's
  for (std::size_t i = 3; i + 1 < columns.size(); ++i) {
    const auto it = row.peers.find(columns[i]);
    cells.push_back(it == row.peers.end() ? "" : it->second);
  }
  cells.push_back(yes_no(row.met));
}

}  // namespace tanggul::bench
