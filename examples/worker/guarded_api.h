#pragma once

#include <tanggul/base/random.h>
#include <tanggul/flight/single_flight.h>
#include <tanggul/policy/breaker.h>
#include <functional>
#include <mutex>
#include <string>
#include <variant>

#include "pool.h"

// Why there is no answer.
enum class Refused { late, unavailable };

// An API that is slow and sometimes down, behind one flight for each key and a breaker.
// Thread-safe.
class GuardedApi {
 public:
  using Call = std::function<std::string(const std::string& repository)>;  // throws when it fails

  GuardedApi(Call call, Pool& pool) : call_(std::move(call)), pool_(pool) {}

  // The answer, why there is none, or what the call threw.
  std::variant<std::string, Refused> ask(const std::string& repository,
                                         std::chrono::milliseconds patience);

 private:
  using Answer = std::variant<std::string, Refused>;

  Answer call(const std::string& repository);
  tanggul::policy::Breaker::Admission admit();
  void record(const tanggul::policy::Breaker::Ticket& ticket, bool well);

  const Call call_;
  Pool& pool_;
  tanggul::SingleFlight<std::string, Answer> flights_;

  std::mutex mutex_;  // a policy is a plain object: whoever owns it guards it
  tanggul::policy::Breaker breaker_{tanggul::policy::BreakerConfig{}};
};
