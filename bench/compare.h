#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "peer.h"
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
  void fail(std::string why) { failure_ = std::move(why); }
  bool empty() const { return values_.empty(); }
  const std::string& failure() const { return failure_; }  // empty: none
  double median(const std::string& name) const;
  double most(const std::string& name) const;
  double least(const std::string& name) const;

 private:
  const std::vector<double>& of(const std::string& name) const;
  std::map<std::string, std::vector<double>> values_;
  std::string failure_;
};

// Cells by the name of the peer.
using Cells = std::map<std::string, std::string>;

struct Compared {
  Side ours;
  std::map<std::string, Side> peers;

  // What `cell` says of each peer that took part; why, of one that could not.
  Cells cells(const std::function<std::string(const Side&)>& cell) const;
};

// How often who takes his turn.
struct Runs {
  int ours = 0, nginx = 0;
  int others = 0;  // each of the other peers
};

// All in turn. A peer that fails is out of it; where we fail, that is thrown.
Compared compare(Runs runs, const StartSubject& ours, const Story& story);

// A row of the table of what must hold.
struct Must {
  std::string what, must, ours;
  Cells peers;
  bool met = false;
};
Table musts_table(std::string title);
void add(Table& musts, const Must& row);

}  // namespace tanggul::bench
