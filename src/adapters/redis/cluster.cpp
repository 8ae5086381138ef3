#include "adapters/redis/lane_ports.h"
#include "adapters/redis/member.h"
#include "base/mutex.h"

namespace tanggul::redis {
namespace {

class JoinedMember : public ports::Membership {
 public:
  explicit JoinedMember(std::shared_ptr<Member> member) : member_(std::move(member)) {}
  ~JoinedMember() override { member_->detach(); }
  Task<bool> purge(std::vector<ports::SharedPurge> purges) override {
    return member_->purge(std::move(purges));
  }
  void end_pauses(const std::string& origin) override { member_->end_pauses(origin); }

 private:
  std::shared_ptr<Member> member_;
};

class RedisNode : public RedisCluster {
 public:
  RedisNode(RedisConfig config, MetricSet& metrics)
      : core_(std::make_shared<Core>(std::move(config), metrics)) {}
  ~RedisNode() override { RedisNode::close(); }

  RedisLane lane(async::Executor executor) override {
    const auto lane = Lane::make(core_, executor);
    {
      const Lock lock(mutex_);
      lanes_.push_back(lane);
    }
    asio::post(executor, [lane] { lane->start(); });
    return {make_leases(lane), make_store(lane), make_limits(lane)};
  }

  std::unique_ptr<ports::Membership> join(async::Executor executor,
                                          ports::MembershipListener& listener) override {
    const auto member = std::make_shared<Member>(core_, executor, listener);
    {
      const Lock lock(mutex_);
      members_.emplace_back(executor, member);
    }
    asio::post(executor, [member] { member->start(); });
    return std::make_unique<JoinedMember>(member);
  }

  void close() override {
    std::vector<std::shared_ptr<Lane>> lanes;
    std::vector<std::pair<async::Executor, std::shared_ptr<Member>>> members;
    {
      const Lock lock(mutex_);
      lanes.swap(lanes_);
      members.swap(members_);
    }
    for (const auto& lane : lanes) asio::post(lane->executor(), [lane] { lane->close(); });
    for (const auto& one : members)
      asio::post(one.first, [member = one.second] { member->close(); });
    core_->ids.close();
    core_->places.close();
    core_->health.close();
  }

 private:
  const std::shared_ptr<Core> core_;
  Mutex mutex_;
  std::vector<std::shared_ptr<Lane>> lanes_ GUARDED_BY(mutex_);
  std::vector<std::pair<async::Executor, std::shared_ptr<Member>>> members_ GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<RedisCluster> RedisCluster::make(RedisConfig config, MetricSet& metrics) {
  return std::make_unique<RedisNode>(std::move(config), metrics);
}

}  // namespace tanggul::redis
