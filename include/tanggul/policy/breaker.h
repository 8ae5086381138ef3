#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tanggul/base/clock.h"
#include "tanggul/base/random.h"
#include "tanggul/policy/rolling_count.h"

namespace tanggul::policy {

struct BreakerConfig {
  Duration window = 10s;
  int min_requests = 20;  // fewer say nothing about the origin
  double failure_ratio = 0.5;
  Duration open_for = 15s;  // doubling while probes fail, …
  Duration max_open = 60s;  // … up to here
  int probes = 3;           // successes that close it
  Duration probe_lease = 60s;

  bool operator==(const BreakerConfig&) const = default;
};

enum class BreakerState { closed, half_open, open };  // the values of tanggul_breaker_state
std::string_view name(BreakerState state) noexcept;
enum class BreakerSample { success, failure, ignored };

// Keeps attempts away from an origin that fails, and finds out with one probe at a time whether it
// serves again.
//
//     closed ──(a failure, with it ≥ failure_ratio of ≥ min_requests in the window)──▶ open
//     open ──(its time is over)──▶ half_open
//     half_open ──(probes successes)──▶ closed        half_open ──(one failure)──▶ open, twice as
//     long
//
// It cannot wedge: a probe is a lease, so one that is never recorded gives its place back after
// probe_lease; and a ticket of an earlier generation changes nothing. Of a probe whose place was
// given on only the success still counts: a body may take longer than the lease, and origins of
// large ones would never be found well again. Jitter only shortens the time open. Not thread-safe.
class Breaker {
 public:
  struct Ticket {
    std::uint64_t generation = 0;
    bool probe = false;
    std::uint64_t probe_id = 0;
  };
  struct Admission {
    bool admitted = false;
    Ticket ticket;      // to be recorded once the attempt has ended
    MonoTime retry_at;  // when denied: worth asking again, later than now
  };

  explicit Breaker(BreakerConfig config);
  // Other numbers from now on; what it knows of the origin stays, but for the counts of another
  // window.
  void configure(BreakerConfig config);
  // Another origin from now on: closed, and what runs at the former one tells nothing.
  void forget(MonoTime now) { close(now); }

  // What is known elsewhere of the same origin takes the place of what is known here: open until
  // then, or not open; with `probed_until` somebody else's probe is on its way for so long at most.
  struct Told {
    bool closed = true;
    MonoTime open_until;
    int failed_rounds = 0;
    std::optional<MonoTime> probed_until;
  };
  void adopt(const Told& told, MonoTime now);

  bool would_admit(MonoTime now) const;
  Admission admit(MonoTime now, Rng& rng);
  void record(const Ticket& ticket, BreakerSample sample, MonoTime now, Rng& rng);

  BreakerState state(MonoTime now) const;
  // Since when it has been closed, or not: a probe that fails is no new outage.
  MonoTime since() const { return since_; }
  // `now` if an attempt would be admitted, else when asking again is worth it.
  MonoTime next_probe(MonoTime now) const;
  // To half_open is counted with the first probe: nobody is told that time has passed.
  std::uint64_t transitions(BreakerState to) const;

 private:
  struct Probe {
    std::uint64_t id;
    MonoTime expires;
  };

  bool probe_lives(MonoTime now) const {
    return (probe_ && now < probe_->expires) || (probed_elsewhere_ && now < *probed_elsewhere_);
  }
  void record_request(BreakerSample sample, MonoTime now, Rng& rng);
  void record_probe(BreakerSample sample, MonoTime now, Rng& rng);
  void count_success(MonoTime now);
  void open(MonoTime now, Rng& rng);
  void close(MonoTime now);
  void count(BreakerState to, MonoTime now);

  BreakerConfig config_;
  bool closed_ = true;
  std::uint64_t generation_ = 1;  // one more at each opening and closing
  MonoTime since_{};
  bool was_closed_ = true;  // at the last transition

  RollingCount requests_, failures_;  // while closed

  MonoTime open_until_{};  // while not closed: half_open from then on
  int failed_rounds_ = 0;  // openings since it was last closed, without the first
  bool probed_ = false;    // in this half_open
  int successes_ = 0;      // of this half_open's probes
  std::optional<Probe> probe_;
  std::optional<MonoTime> probed_elsewhere_;  // until then at most
  std::vector<std::uint64_t> late_;           // probes of this half_open whose place was given on
  std::uint64_t last_probe_id_ = 0;

  std::array<std::uint64_t, 3> transitions_{};
};

}  // namespace tanggul::policy
