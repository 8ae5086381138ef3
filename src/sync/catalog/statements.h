#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ports/sql_session.h"

namespace tanggul::sync {

// Statements of which each needs the ones before it: after one has failed none is run, and
// ended() tells why. What is asked for is then not there, and what would be changed is not.
class Statements {
 public:
  explicit Statements(ports::SqlSession& session) : session_(session) {}

  std::uint64_t run(std::string_view text, const ports::SqlRow& values,
                    const ports::SqlSession::EachRow& row = {}) {
    if (failure_) return 0;
    auto ran = session_.run(text, values, row);
    if (!ran) failure_ = std::move(ran).error();
    return failure_ ? 0 : *ran;
  }

  // The last row of what is asked for, which has one or none.
  std::optional<ports::SqlRow> one(std::string_view text, const ports::SqlRow& values) {
    std::optional<ports::SqlRow> out;
    run(text, values, [&out](const ports::SqlRow& row) { out = row; });
    return failure_ ? std::nullopt : std::move(out);
  }

  bool failed() const { return failure_.has_value(); }
  void fail(Failure failure) {
    if (!failure_) failure_ = std::move(failure);
  }
  Expected<void> ended() const {
    if (failure_) return *failure_;
    return {};
  }

 private:
  ports::SqlSession& session_;
  std::optional<Failure> failure_;
};

}  // namespace tanggul::sync
