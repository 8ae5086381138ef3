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

Compared compare(int our_runs, int nginx_runs, const StartSubject& ours, const Story& story) {
  Compared both;
  for (int i = 0; i < std::max(our_runs, nginx_runs); ++i) {
    if (i < our_runs) run_once(both.ours, ours, story);
    if (i < nginx_runs) run_once(both.nginx, start_nginx, story);
  }
  return both;
}

Table musts_table() {
  return {.title = "Herds and outages",
          .note =
              "Each run has a fresh process, cache and origin. Times are medians, counts the "
              "worst run; ours and nginx (bench/nginx.conf.in) take turns.",
          .columns = {"measured", "must", "tanggul", "nginx", "met"}};
}

void add(Table& musts, const Must& row) {
  musts.rows.push_back({row.what, row.must, row.ours, row.nginx, yes_no(row.met)});
}

}  // namespace tanggul::bench
