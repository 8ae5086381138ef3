#include "guarded_api.h"

using tanggul::MonoClock;
using tanggul::policy::Breaker;
using tanggul::policy::BreakerSample;

std::variant<std::string, Refused> GuardedApi::ask(const std::string& repository,
                                                   std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto outcome = flights_.run_detached(repository, deadline, pool_,
                                             [this, repository] { return call(repository); });
  if (outcome) return *outcome;  // a copy; outcome.handle() would share it
  return outcome.error() == tanggul::FlightError::deadline ? Refused::late : Refused::unavailable;
}

GuardedApi::Answer GuardedApi::call(const std::string& repository) {
  const auto admission = admit();
  if (!admission.admitted) return Refused::unavailable;
  try {
    std::string answer = call_(repository);
    record(admission.ticket, true);
    return answer;
  } catch (...) {
    record(admission.ticket, false);
    throw;  // reaches every job that waits for this call
  }
}

Breaker::Admission GuardedApi::admit() {
  const std::lock_guard lock(mutex_);
  return breaker_.admit(MonoClock::now(), tanggul::thread_rng());
}

void GuardedApi::record(const Breaker::Ticket& ticket, bool well) {
  const std::lock_guard lock(mutex_);
  breaker_.record(ticket, well ? BreakerSample::success : BreakerSample::failure, MonoClock::now(),
                  tanggul::thread_rng());
}
