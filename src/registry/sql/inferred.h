#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "registry/sql/parameter.h"

namespace tanggul::registry::sql {

// What the database takes each parameter for, once it has said so; `any` before. Who reads requests
// knows from then on what a value must look like, and which ones mean the same. Thread-safe.
class Inferred {
 public:
  explicit Inferred(std::size_t parameters) : types_(parameters) {}

  void set(std::size_t i, Type type) noexcept {
    if (i < types_.size()) types_[i].store(type, std::memory_order_relaxed);
  }
  Type at(std::size_t i) const noexcept {
    return i < types_.size() ? types_[i].load(std::memory_order_relaxed) : Type::any;
  }
  std::size_t size() const noexcept { return types_.size(); }

 private:
  std::vector<std::atomic<Type>> types_;
};

}  // namespace tanggul::registry::sql
