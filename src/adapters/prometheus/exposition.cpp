#include "adapters/prometheus/exposition.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <cmath>
#include <limits>

namespace tanggul::prometheus_text {
namespace {

namespace prom = prometheus;

prom::ClientMetric::Histogram buckets_of(const Histogram& h) {
  prom::ClientMetric::Histogram out;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    out.sample_count += h.bucket(i);
    prom::ClientMetric::Bucket bucket;
    bucket.cumulative_count = out.sample_count;
    bucket.upper_bound = i < std::size(Histogram::kBounds)
                             ? Histogram::kBounds[i]
                             : std::numeric_limits<double>::infinity();
    out.bucket.push_back(bucket);
  }
  out.sample_sum = h.sum();
  return out;
}

prom::ClientMetric metric_of(const MetricSet::Series& series, MetricSet::Type type) {
  prom::ClientMetric m;
  for (const auto& [name, value] : series.labels) m.label.push_back({name, value});
  const double computed = series.read ? series.read() : 0;
  switch (type) {
    case MetricSet::Type::counter:
      m.counter.value = series.read ? computed : static_cast<double>(series.counter->value());
      break;
    case MetricSet::Type::gauge:
      m.gauge.value = series.read ? computed : series.gauge->value();
      break;
    case MetricSet::Type::histogram:
      m.histogram = buckets_of(*series.histogram);
      break;
  }
  return m;
}

prom::MetricType type_of(MetricSet::Type type) {
  switch (type) {
    case MetricSet::Type::counter:
      return prom::MetricType::Counter;
    case MetricSet::Type::gauge:
      return prom::MetricType::Gauge;
    case MetricSet::Type::histogram:
      return prom::MetricType::Histogram;
  }
  return prom::MetricType::Untyped;
}

}  // namespace

std::string expose(const MetricSet& metrics) {
  std::vector<prom::MetricFamily> families;
  metrics.visit([&](const MetricSet::Family& family) {
    prom::MetricFamily f;
    f.name = family.name;
    f.help = family.help;
    f.type = type_of(family.type);
    for (const auto& series : family.series) {
      prom::ClientMetric m = metric_of(series, family.type);
      if (std::isnan(m.gauge.value)) continue;  // not known yet: absent, not a number
      f.metric.push_back(std::move(m));
    }
    families.push_back(std::move(f));
  });
  return prom::TextSerializer().Serialize(families);
}

}  // namespace tanggul::prometheus_text
