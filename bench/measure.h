#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tanggul/base/clock.h"

namespace tanggul::bench {

struct Options {
  bool quick = false;  // one run instead of five, and without what takes minutes
  int runs() const { return quick ? 1 : 5; }
  int peer_runs() const { return quick ? 1 : 3; }  // of the other peers, where a run is short
  int rounds() const { return quick ? 3 : 15; }
};

// The middle of what was measured; 0 of nothing.
double median(std::vector<double> values);
double quantile(std::vector<double> values, double q);

inline double in_ms(Duration d) { return seconds(d) * 1e3; }

// Cells of the report.
std::string ms(double value);
std::string mib(double bytes);
std::string number(double value);
std::string ratio(double value);
std::string printed(const char* format, double value);
// The beginning of a message, fit for a cell.
std::string one_line(std::string text);
inline std::string yes_no(bool met) { return met ? "yes" : "**no**"; }

}  // namespace tanggul::bench
