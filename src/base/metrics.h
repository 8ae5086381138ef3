#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "tanggul/base/clock.h"

namespace tanggul {

// Counting must cost a hit nothing that waits: each of these is a relaxed atomic. All are safe from
// any thread and live as long as the MetricSet that made them.
class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void set(double v) noexcept { value_.store(v, std::memory_order_relaxed); }
  void add(double d) noexcept { value_.fetch_add(d, std::memory_order_relaxed); }
  double value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

// Latencies in seconds, in fixed buckets from 1 ms to 60 s.
class Histogram {
 public:
  static constexpr double kBounds[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                       0.5,   1,      2.5,   5,    10,    30,   60};
  static constexpr std::size_t kBuckets = std::size(kBounds) + 1;

  void observe(Duration d) noexcept;
  std::uint64_t bucket(std::size_t i) const noexcept {
    return buckets_[i].load(std::memory_order_relaxed);
  }
  double sum() const noexcept {
    return static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)) * 1e-9;
  }

 private:
  std::atomic<std::uint64_t> buckets_[kBuckets] = {};
  std::atomic<std::uint64_t> nanoseconds_{0};
};

using Labels = std::vector<std::pair<std::string, std::string>>;

// Every metric of the process, by family and labels. Asking twice for the same one gives the same
// object; a series exists at 0 from when it is first asked for. Thread-safe.
class MetricSet {
 public:
  enum class Type { counter, gauge, histogram };
  struct Series {
    Labels labels;
    std::unique_ptr<Counter> counter;
    std::unique_ptr<Gauge> gauge;
    std::unique_ptr<Histogram> histogram;
    std::function<double()> read;  // computed when asked for; NaN means absent
  };
  struct Family {
    std::string name, help;
    Type type;
    std::deque<Series> series;
  };

  Counter& counter(std::string_view family, std::string_view help, Labels labels = {});
  Gauge& gauge(std::string_view family, std::string_view help, Labels labels = {});
  Histogram& histogram(std::string_view family, std::string_view help, Labels labels = {});
  void gauge_fn(std::string_view family, std::string_view help, Labels labels,
                std::function<double()> read);
  void counter_fn(std::string_view family, std::string_view help, Labels labels,
                  std::function<double()> read);

  void visit(const std::function<void(const Family&)>& each) const;

 private:
  Series& series(std::string_view family, std::string_view help, Type type, Labels labels)
      REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::deque<Family> families_ GUARDED_BY(mutex_);
};

}  // namespace tanggul
