#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace tanggul::bench {

struct Options {
  bool quick = false;  // one run instead of five, and without what takes minutes
  int runs() const { return quick ? 1 : 5; }
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
inline std::string yes_no(bool met) { return met ? "yes" : "**no**"; }

}  // namespace tanggul::bench
