#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/waiter.h"
#include "base/mutex.h"
#include "cache/body_readers.h"
#include "cache/entry.h"
#include "cache/spool.h"
#include "ports/origin.h"
#include "tanggul/http/message.h"

namespace tanggul::cache {

// Who besides the one that started a flight may have its answer.
struct Sharing {
  bool shareable = true;
  std::vector<std::string> vary;  // request headers that selected this variant
  std::string vary_values;        // their values in the request that was sent
  // Further request headers in which a follower must be like the request that was sent, although
  // they select nothing.
  std::vector<std::string> alike;
  std::string alike_values;
  bool stored = false;  // others will find it in the cache
};

// The head of a response whose body is still arriving.
struct OpenHead {
  int status = 0;
  http::Headers headers;
  std::optional<ByteCount> length;  // absent: its end comes with landing
  bool hold_last_byte = false;      // the body will be verified: keep one byte back until then
};

// One fetch that many wait for. It belongs to nobody's connection: the fetch drives it on its own
// thread (open, append through spool(), then land or fail exactly once), callers on any thread
// watch it. Each has the promise that a terminal state reaches it.
class Flight : public std::enable_shared_from_this<Flight> {
 public:
  enum class Phase { fetching, open, landed, failed };

  Flight(std::string key, std::string directory);

  const std::string& key() const noexcept { return key_; }

  // --- the fetch ---
  void expect_length(std::optional<ByteCount> length);  // before the first byte
  Spool& spool();
  void open(OpenHead head, Sharing sharing);
  void progress();  // after bytes were appended to an open flight
  void land(EntryPtr entry, Sharing sharing);
  void fail(Failure failure);
  // A fetch that is not cacheable is cancelled when the last caller has left; others go on.
  void set_cacheable(bool cacheable);
  ports::Cancellation& cancellation() noexcept { return cancellation_; }
  // While the fetch is held back from an origin that is down, its callers see it in their view. A
  // held fetch that nobody waits for is cancelled, cacheable or not.
  void set_held(bool held);
  bool finished() const;
  // The disk takes no more of the body: the rest goes through memory to those who read already. No
  // newcomer joins, who would need its beginning again, and it is of no use once they have left.
  void open_window();
  // Nothing of the body has been given up. After the last append.
  bool whole() const { return !spool_ || spool_->whole(); }
  // Whether the window of an open flight has room for more. Gives up what all readers have; a
  // reader that holds the others up at less than `min_rate` for as long as `patience` is waited for
  // no longer.
  bool window_has_room(MonoTime now, Duration patience, ByteCount min_rate);
  void set_trace(std::string line);  // what the fetch has decided so far, for the log
  // A purge that came while it ran: deliver, but do not store.
  void forbid_store();
  bool store_forbidden() const noexcept { return store_forbidden_.load(); }
  // Wakes `waiter` once that has come; at once where it has. Null: nobody any more, which is owed
  // before the waiter's loop ends, since a flight may outlive that.
  void tell_when_forbidden(async::WaiterPtr waiter);

  // Another node's fetch pays for it.
  void set_borrowed(bool borrowed) noexcept { borrowed_.store(borrowed); }
  bool borrowed() const noexcept { return borrowed_.load(); }

  // --- callers ---
  struct View {
    Phase phase = Phase::fetching;
    EntryPtr entry;                        // when landed
    std::shared_ptr<const OpenHead> head;  // when open, or landed or failed after having been open
    std::shared_ptr<const Sharing> sharing;
    std::optional<Failure> failure;
    ByteCount readable = 0;  // bytes that a reader may have by now
    bool held = false;
  };
  View view() const;
  // Enough of it to wait for a change.
  struct Glance {
    Phase phase = Phase::fetching;
    ByteCount readable = 0;
    bool held = false;
    bool operator==(const Glance&) const = default;
  };
  Glance glance() const;
  std::string trace() const;
  // The first time that somebody joins another's flight.
  bool first_shared() noexcept { return !shared_.exchange(true); }
  // Counts a caller in. False: the flight is failing or was given up, start another.
  bool attach();
  void detach();
  // Somebody reads the body from byte 0, known by an address; where it is and what it may have.
  void begin_reading(const void* reader);
  void end_reading(const void* reader);
  View read_on(const void* reader, ByteCount at);
  // Wakes `waiter` at the next change after `seen`; false if there has been one already.
  bool watch(const Glance& seen, const async::WaiterPtr& waiter);
  bool watch(const View& seen, const async::WaiterPtr& waiter) {
    return watch(Glance{seen.phase, seen.readable, seen.held}, waiter);
  }
  void unwatch(const async::WaiterPtr& waiter);
  std::size_t callers() const;

 private:
  static constexpr ByteCount kWindow = 4_MiB;

  ByteCount slowest() const REQUIRES(mutex_);
  bool has_room() const REQUIRES(mutex_);
  View view_locked() const REQUIRES(mutex_);
  Glance glance_locked() const REQUIRES(mutex_);
  bool nobody_needs_it() const REQUIRES(mutex_);

  const std::string key_;
  const std::string directory_;
  ports::Cancellation cancellation_;
  std::atomic<bool> store_forbidden_{false};
  std::atomic<bool> shared_{false};
  std::atomic<bool> borrowed_{false};
  std::unique_ptr<Spool> spool_;  // set before open() or land(), read by callers after

  mutable Mutex mutex_;
  Phase phase_ GUARDED_BY(mutex_) = Phase::fetching;
  EntryPtr entry_ GUARDED_BY(mutex_);
  std::shared_ptr<const OpenHead> head_ GUARDED_BY(mutex_);
  std::shared_ptr<const Sharing> sharing_ GUARDED_BY(mutex_);
  std::optional<Failure> failure_ GUARDED_BY(mutex_);
  std::vector<async::WaiterPtr> watchers_ GUARDED_BY(mutex_);
  async::WaiterPtr when_forbidden_ GUARDED_BY(mutex_);
  std::size_t callers_ GUARDED_BY(mutex_) = 0;
  bool cacheable_ GUARDED_BY(mutex_) = true;
  bool held_ GUARDED_BY(mutex_) = false;
  bool given_up_ GUARDED_BY(mutex_) = false;
  BodyReaders readers_ GUARDED_BY(mutex_);
  bool windowed_ GUARDED_BY(mutex_) = false;
  bool waits_for_room_ GUARDED_BY(mutex_) = false;
  std::string trace_ GUARDED_BY(mutex_);
};
using FlightPtr = std::shared_ptr<Flight>;

// Takes a waiter out of a flight at the end of its scope, also when its coroutine is destroyed
// while it waits: a flight must not keep a waiter whose thread is gone.
class WatchScope {
 public:
  WatchScope(Flight& flight, async::WaiterPtr waiter)
      : flight_(flight), waiter_(std::move(waiter)) {}
  ~WatchScope() { flight_.unwatch(waiter_); }
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;

 private:
  Flight& flight_;
  async::WaiterPtr waiter_;
};

}  // namespace tanggul::cache
