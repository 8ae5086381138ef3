#pragma once

#include <deque>
#include <memory>
#include <string>

#include "adapters/redis/lane.h"
#include "adapters/redis/node_count.h"
#include "adapters/redis/purge_log.h"
#include "ports/membership.h"

namespace tanggul::redis {

// This node among the others: says each second that it lives, follows the purges, hears what the
// channels carry and passes wakes on. Two connections: one asks, one listens. One thread.
class Member : public std::enable_shared_from_this<Member> {
 public:
  static constexpr std::size_t kMostUntold = 10'000;  // purges kept while Redis is away

  Member(std::shared_ptr<Core> core, async::Executor executor, ports::MembershipListener& listener);

  void start();
  void close();
  void detach() { listener_ = nullptr; }  // who listened is gone
  Task<bool> purge(std::vector<ports::SharedPurge> purges);
  void end_pauses(const std::string& origin);

 private:
  static Task<void> live(std::shared_ptr<Member> self);
  Task<void> beat();
  Task<void> follow();
  void begin_telling();
  static Task<void> tell(std::shared_ptr<Member> self);
  Task<bool> tell_some();
  void listen();
  void hear(std::string_view channel, std::string_view message);
  void hear_purge(std::string_view message);
  void tell_listener(const PurgeNews& news);
  void reach_changed(const std::string& why);
  void hurry();

  const std::shared_ptr<Core> core_;
  const async::Executor executor_;
  ports::MembershipListener* listener_;
  const std::shared_ptr<Lane> lane_;
  std::shared_ptr<Connection> ear_;
  const async::WaiterPtr waiter_;  // of live()
  bool hurry_ = false;             // the next round begins at once
  bool closed_ = false;
  std::optional<bool> reach_told_;
  std::string why_told_;  // empty: it is up
  NodeCount nodes_;

  std::string deaf_;  // why nothing is heard, as was told

  ports::PurgePlace former_;  // how far the log before this one was seen

  std::deque<ports::SharedPurge> untold_;
  std::uint64_t queued_ = 0, told_ = 0;  // purges so far
  bool telling_ = false;
  std::vector<async::WaiterPtr> tellers_;  // purge() calls that wait for told_
};

}  // namespace tanggul::redis
