#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "tanggul/base/clock.h"

namespace tanggul::ports {

// What is to be done, and what has been tried. Its texts are UTF-8.
struct Job {
  std::string key;   // what it is about: a queue whose engine can tell takes no second one of a key
  std::string body;  // only its worker understands it; ≤ 64 KiB
  int attempts = 0;  // that were used up: failures that were the job's own
  std::string handed_on_by;  // the queue that it came from and never goes back to; empty: none
  WallTime enqueued{};       // for the first time, whatever became of it since
  // Why it failed last, in a word that programs compare and in a sentence, and the release of the
  // worker that failed it; all empty: it has not.
  std::string failure, detail, release;
};

// A job in the hands of one worker, for a time.
struct Claim {
  std::string queue, id;    // the engine's name of it
  std::uint64_t fence = 0;  // grows with each claim of the job
  // Claims of it so far, this one included: what ends its worker each time comes back without ever
  // having failed.
  int deliveries = 1;
  Job job;
};

// What becomes of a job that was claimed; its key stays. However it goes on, its deliveries are
// counted anew: it did not end its worker.
struct Settlement {
  enum class Kind {
    done,
    later,  // back into its queue, `due` then; who decides whether an attempt is used is the caller
    dead,   // kept apart, for people to look at
    handed_on,  // into `queue`, due at once
  };
  Kind kind = Kind::done;
  Job job = {};            // as it goes on; of no use when done
  WallTime due = {};       // when later
  std::string queue = {};  // when handed on
};

struct QueueFigures {
  // Of the jobs: due and unclaimed; claimed, the lease in force; not due yet; kept apart.
  std::uint64_t ready = 0, claimed = 0, parked = 0, dead = 0;
  Duration lag{};  // since the oldest of those that are ready was due; 0: there is none
};

// Jobs between those who have work and those who do it, at least once each. A claim lasts as long
// as its lease is renewed; after that the job is another's, and what its former holder still says
// of it is refused. Queues are made by their first use. Calls block, no longer than a few seconds
// beyond what they are told to wait; safe from any thread. Fails with refused (cannot be reached),
// stalled (no answer in time), bad_input (a body over its limit, a text that is no UTF-8) or io.
class Queue {
 public:
  virtual ~Queue() = default;

  enum class Enqueued {
    added,
    // One of the same key is waiting or claimed, and stays as it is. But whoever asks again wants
    // it sooner: it is due then, where that is earlier, unless it is claimed, or has failed and
    // waits so as not to fail again at once.
    present,
  };
  // Once it returns, the job outlives any crash that the engine promises to outlive.
  virtual Expected<Enqueued> enqueue(const std::string& queue, const Job& job, WallTime due) = 0;

  // The job that has been due for longest, or nullopt after `wait`. One whose lease has ended is
  // due again since then, in this order as in the lag.
  virtual Expected<std::optional<Claim>> claim(const std::string& queue, Duration lease,
                                               Duration wait) = 0;

  enum class Held { yes, lost };
  virtual Expected<Held> renew(const Claim& claim, Duration lease) = 0;
  // In one step with taking it out of its queue; handed to a queue that has its key already, it is
  // done. lost: another has claimed it since, or it has been settled, and nothing was changed.
  virtual Expected<Held> settle(const Claim& claim, const Settlement& settlement) = 0;

  virtual Expected<QueueFigures> figures(const std::string& queue) = 0;

  // The latest of those that are kept apart, the newest first.
  virtual Expected<std::vector<Job>> dead(const std::string& queue, std::size_t at_most) = 0;
  // Takes those that are chosen back, due at once, with what `choose` has made of all but their
  // keys. How many; where one of its key is in the queue again, that one does for both.
  virtual Expected<std::uint64_t> revive(const std::string& queue,
                                         const std::function<bool(Job&)>& choose) = 0;
};

}  // namespace tanggul::ports
