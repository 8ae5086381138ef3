#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "shield/admission.h"
#include "shield/attempt.h"
#include "shield/fetch.h"
#include "shield/flight_sink.h"
#include "shield/lease_step.h"
#include "shield/outside.h"
#include "tanggul/base/random.h"

namespace tanggul::shield {

// One fetch on its way from the second look-up to landing. The steps up to the origin stand in
// fetch.cpp, what it does with other nodes in fetch_shared.cpp.
class RunningFetch {
 public:
  // The job lies in the coroutine that this does: what waits by the thousand is not kept twice.
  RunningFetch(Shield& shield, const Outside& outside, FetchJob& job, async::Executor executor)
      : shield_(shield),
        outside_(outside),
        job_(job),
        up_(job_.upstream->state()),
        waiter_(async::Waiter::make(executor)),
        rng_(thread_rng()) {}

  // The scope guard of the contract: whatever happened, the key is free and everybody has an
  // answer.
  ~RunningFetch() {
    job_.flight->cancellation().bind(nullptr);
    if (reserved_) up_.release_retry();
    if (!job_.flight->finished())
      job_.flight->fail(failure_of(Errc::internal, "The fetch broke off", "internal error"));
    if (job_.in_table) shield_.flights().remove(job_.flight);
    up_.metrics().flights->add(-1);
  }
  RunningFetch(const RunningFetch&) = delete;
  RunningFetch& operator=(const RunningFetch&) = delete;

  Task<void> run();

 private:
  bool second_look();
  Task<void> attempt();
  Task<void> send(Pass& go);
  void tell_sample(Pass& go, policy::BreakerSample sample);
  bool holds_on();
  void take_up_reload();
  ports::OriginRequest request() const;
  FlightSink::Rules rules() const;
  policy::Lifetime judge(int status, const http::Headers& headers) const;
  policy::Lifetime judge_as(std::string_view method, int status,
                            const http::Headers& headers) const;
  cache::Sharing sharing_of(const policy::Lifetime& lifetime, const http::Headers& headers) const;
  void count(const ports::FetchEnd& end, const FlightSink& sink, Duration taken);
  std::optional<Duration> pause_before(int number);
  void tell_no_room();
  Task<void> give_up();
  void publish_noted(const cache::EntryPtr& entry, bool storable, cache::Sharing& sharing);
  Task<void> finish(FlightSink& sink);
  bool may_retry() const;

  // --- with other nodes ---
  bool is_shared() const;
  Task<bool> share();  // true: landed or failed, with what another node has
  enum class Shared { landed, again, fetch };
  Task<Shared> follow(std::string holder);
  Task<Shared> take_copy(SharedCache::Read read);
  Task<Shared> bring(SharedCache::Read read);
  Task<Shared> take_stream(ports::FetchEnd end, std::optional<SharedCache::Read> read);
  Task<void> land_streamed(std::optional<SharedCache::Read> read);
  Task<Shared> take_peer_copy(std::string bytes, bool keep, const SharedCache::Read* wanted);
  Shared land_copy(const SharedCache::Read& read, bool keep);
  Shared land_failure(cache::Failure failure);
  bool is_ours(const cache::Variant& variant);
  std::unique_ptr<FlightSink> sink_of(cache::Variant variant);
  Task<void> share_entry(cache::EntryPtr entry, bool storable, const cache::Sharing& sharing);
  Task<void> share_failure(const cache::Failure& failure, Duration keep);
  void fence_off();

  bool revalidates() const { return job_.stored != nullptr && job_.method == "GET"; }
  void note(Step step, std::string_view decision);
  const OriginConfig& config() const { return job_.upstream->config(); }
  std::size_t mirror() const { return mirror_ % config().upstreams.size(); }

  Shield& shield_;
  const Outside& outside_;  // of the lane
  FetchJob& job_;
  OriginState& up_;
  async::WaiterPtr waiter_;
  Rng& rng_;
  WallTime sent_at_;
  MonoTime began_ = MonoClock::now();
  std::unique_ptr<FlightSink> sink_;  // of the last attempt
  Attempted last_;                    // how it ended
  bool fresh_connection_ = false;
  bool sent_anew_ = false;  // after a dead pooled connection
  bool reserved_ = false;   // in the retry budget
  bool failed_while_serving_ = false;
  // Of a fetch that other nodes have part in; null: it has none.
  struct Together {
    Together(Shield& shield, const Outside& outside, FetchJob& job, async::WaiterPtr waiter,
             Rng& rng)
        : step(shield, outside, job, std::move(waiter), rng) {}
    LeaseStep step;
    std::unique_ptr<HeldLease> lease;
    std::optional<FlightSink::Resumption> resumption;  // of what readers have the beginning of
    cache::Variant streamed;                           // what another node's stream is
  };
  std::unique_ptr<Together> together_;
  std::size_t mirror_ = 0;  // one further with each attempt
  Trace trace_;
  const NoteStep note_ = [this](Step step, std::string_view decision) { note(step, decision); };
};

}  // namespace tanggul::shield
