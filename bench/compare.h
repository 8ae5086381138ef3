#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "subject.h"
#include "table.h"

namespace tanggul::bench {

// What one run gave, by name: milliseconds, counts, bytes.
using Figures = std::map<std::string, double>;

// One run, with a subject and an origin that have seen nothing before.
using Story = std::function<Figures(Subject&, test::ScriptedOrigin&)>;

class Side {
 public:
  void add(const Figures& figures);
  bool empty() const { return values_.empty(); }
  double median(const std::string& name) const;
  double most(const std::string& name) const;
  double least(const std::string& name) const;

 private:
  const std::vector<double>& of(const std::string& name) const;
  std::map<std::string, std::vector<double>> values_;
};

struct Compared {
  Side ours, nginx;
};

// Both in turn, as often as told.
Compared compare(int our_runs, int nginx_runs, const StartSubject& ours, const Story& story);

// A row of the table of what must hold.
struct Must {
  std::string what, must, ours, nginx;
  bool met = false;
};
Table musts_table();
void add(Table& musts, const Must& row);

}  // namespace tanggul::bench
