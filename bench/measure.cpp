#include "measure.h"

#include <algorithm>
#include <cstdio>

namespace tanggul::bench {

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string one_line(std::string text) {
  constexpr std::size_t kMost = 120;
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\t', ' ');
  std::replace(text.begin(), text.end(), '|', '/');
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

std::string ms(double value) { return printed(value < 10 ? "%.2f ms" : "%.0f ms", value); }
std::string mib(double bytes) { return printed("%.0f MiB", bytes / (1 << 20)); }
std::string number(double value) { return printed("%.0f", value); }
std::string ratio(double value) { return printed("%.2f ×", value); }

}  // namespace tanggul::bench
