#pragma once

#include <string>

#include "base/metrics.h"

namespace tanggul::prometheus_text {

// Every metric of the set in Prometheus' text format 0.0.4. Thread-safe.
std::string expose(const MetricSet& metrics);

inline constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace tanggul::prometheus_text
