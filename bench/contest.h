#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure.h"
#include "peer.h"
#include "wrk.h"

namespace tanggul::bench {

// One row's worth of hits: how large, how many connections, where the bodies lie.
struct Hits {
  std::uint64_t size = 1024;
  std::size_t connections = 64;
  Tier tier = Tier::memory;
};

// One of those who take turns, what each of its rounds gave, or why it could not take part.
struct Contender {
  std::string name;
  std::unique_ptr<test::ScriptedOrigin> origin;  // its own: a fetch may go on after its turn
  SubjectPtr subject;
  std::string failure;
  std::vector<double> cost_us, rate, to_loop;  // a round each, none after a failure
};

// The bare loop, ourselves and every peer, all running at once, each on the server's CPU, idle
// while it is another's turn. Disk hits ask for so many keys in turn that our least memory holds
// few of them; what a subject fetches anew meanwhile was no hit, and fails it.
class Contest {
 public:
  explicit Contest(Hits hits);

  void run(int rounds);
  // Everybody, the loop first and ourselves second.
  std::vector<Contender>& contenders() { return all_; }
  const std::vector<Contender>& contenders() const { return all_; }
  const Contender& ours() const { return all_[1]; }

  WrkLoad load_for(const Contender& c) const;

 private:
  SubjectPtr start(const Contender& c) const;
  void warm(const Contender& c) const;
  void take_turn(Contender& c) const;

  Hits hits_;
  std::size_t keys_;
  std::vector<Contender> all_;
};

// In how many rounds the one cost less than the other.
int rounds_below(const Contender& one, const Contender& other);

}  // namespace tanggul::bench
