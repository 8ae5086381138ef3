#include "base/metrics.h"

#include <algorithm>

namespace tanggul {

void Histogram::observe(Duration d) noexcept {
  const double s = seconds(d);
  const auto at = std::lower_bound(std::begin(kBounds), std::end(kBounds), s) - std::begin(kBounds);
  buckets_[at].fetch_add(1, std::memory_order_relaxed);
  if (d > Duration::zero())
    nanoseconds_.fetch_add(static_cast<std::uint64_t>(d.count()), std::memory_order_relaxed);
}

MetricSet::Series& MetricSet::series(std::string_view family, std::string_view help, Type type,
                                     Labels labels) {
  auto f = std::find_if(families_.begin(), families_.end(),
                        [&](const Family& x) { return x.name == family; });
  if (f == families_.end()) {
    families_.push_back({std::string(family), std::string(help), type, {}});
    f = std::prev(families_.end());
  }
  for (Series& s : f->series)
    if (s.labels == labels) return s;
  f->series.emplace_back().labels = std::move(labels);
  return f->series.back();
}

Counter& MetricSet::counter(std::string_view family, std::string_view help, Labels labels) {
  const Lock lock(mutex_);
  Series& s = series(family, help, Type::counter, std::move(labels));
  if (!s.counter) s.counter = std::make_unique<Counter>();
  return *s.counter;
}

Gauge& MetricSet::gauge(std::string_view family, std::string_view help, Labels labels) {
  const Lock lock(mutex_);
  Series& s = series(family, help, Type::gauge, std::move(labels));
  if (!s.gauge) s.gauge = std::make_unique<Gauge>();
  return *s.gauge;
}

Histogram& MetricSet::histogram(std::string_view family, std::string_view help, Labels labels) {
  const Lock lock(mutex_);
  Series& s = series(family, help, Type::histogram, std::move(labels));
  if (!s.histogram) s.histogram = std::make_unique<Histogram>();
  return *s.histogram;
}

void MetricSet::gauge_fn(std::string_view family, std::string_view help, Labels labels,
                         std::function<double()> read) {
  const Lock lock(mutex_);
  series(family, help, Type::gauge, std::move(labels)).read = std::move(read);
}

void MetricSet::counter_fn(std::string_view family, std::string_view help, Labels labels,
                           std::function<double()> read) {
  const Lock lock(mutex_);
  series(family, help, Type::counter, std::move(labels)).read = std::move(read);
}

void MetricSet::visit(const std::function<void(const Family&)>& each) const {
  const Lock lock(mutex_);
  for (const Family& f : families_) each(f);
}

}  // namespace tanggul
