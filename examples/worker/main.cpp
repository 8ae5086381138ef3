// A worker: 16 threads, 400 jobs about 8 repositories, an API that takes 20 ms, and then an outage.
#include <tanggul/version.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "guarded_api.h"

using namespace std::chrono_literals;

namespace {

struct Tally {
  std::atomic<int> answered{0}, failed{0}, late{0}, unavailable{0};
};

void job(GuardedApi& api, const std::string& repository, std::chrono::milliseconds patience,
         Tally& tally) {
  try {
    const auto answer = api.ask(repository, patience);
    if (std::holds_alternative<std::string>(answer))
      ++tally.answered;
    else
      ++(std::get<Refused>(answer) == Refused::late ? tally.late : tally.unavailable);
  } catch (const std::runtime_error&) {
    ++tally.failed;
  }
}

void work(GuardedApi& api, int jobs, std::chrono::milliseconds patience, Tally& tally) {
  std::atomic<int> next{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int n = next++; n < jobs; n = next++)
        job(api, "repository-" + std::to_string(n % 8), patience, tally);
    });
  }
  for (auto& thread : threads) thread.join();
}

void report(const char* when, int jobs, int calls, const Tally& tally) {
  std::printf("%s: %d jobs, %d calls: %d answered, %d failed, %d too late, %d kept away\n", when,
              jobs, calls, tally.answered.load(), tally.failed.load(), tally.late.load(),
              tally.unavailable.load());
}

}  // namespace

int main() {
  std::printf("tanggul %s\n", std::string(tanggul::kVersion).c_str());
  std::atomic<int> calls{0};
  std::atomic<bool> down{false};
  const auto slow_api = [&](const std::string& repository) {
    ++calls;
    std::this_thread::sleep_for(20ms);
    if (down) throw std::runtime_error("503");
    return "stars of " + repository;
  };
  Pool pool(8);
  GuardedApi api(slow_api, pool);

  Tally well, hasty, outage;
  constexpr int kJobs = 400;
  work(api, kJobs, 10s, well);
  report("well", kJobs, calls, well);
  const bool shared = well.answered == kJobs && calls < kJobs;

  calls = 0;
  work(api, 16, 1ms, hasty);  // the calls go on, and nobody waits for them
  report("in a hurry", 16, calls, hasty);

  down = true;
  calls = 0;
  work(api, 4 * kJobs, 10s,
       outage);  // until half of the last 10 s' calls have failed, and then no more
  report("outage", 4 * kJobs, calls, outage);
  const bool kept_away = outage.unavailable > kJobs;
  return shared && kept_away ? 0 : 1;
}
