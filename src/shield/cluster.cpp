#include "shield/cluster.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/file_io.h"
#include "base/log.h"
#include "base/random_name.h"
#include "shield/held_lease.h"
#include "shield/purge.h"

namespace tanggul::shield {
namespace {

using Rule = cache::Purges::Rule;

// On the wire, beside the rules of Purges: one resource was written to.
constexpr std::uint8_t kWritten = 64;

// A purge travels as the process that made it, a line break, and what it is of.
std::string signed_by(const std::string& self, std::string_view what) {
  return std::string(self).append("\n").append(what);
}
std::string_view maker_of(const ports::SharedPurge& purge) {
  return std::string_view(purge.what).substr(0, purge.what.find('\n'));
}
std::string_view subject_of(const ports::SharedPurge& purge) {
  const auto end = purge.what.find('\n');
  return end == std::string::npos ? std::string_view()
                                  : std::string_view(purge.what).substr(end + 1);
}

constexpr std::size_t kPlaceLine = 100;

ports::PurgePlace read_place(const std::string& path) {
  ports::PurgePlace place;
  std::ifstream in(path);
  if (!path.empty() && (in >> place.epoch >> place.sequence)) return place;
  return {};
}

std::array<Counter*, 5> peer_counters(MetricSet& metrics) {
  std::array<Counter*, 5> counters{};
  constexpr std::string_view kResults[] = {"served", "nothing", "broken", "unreachable", "skewed"};
  for (std::size_t i = 0; i < counters.size(); ++i)
    counters[i] =
        &metrics.counter("tanggul_peer_requests_total",
                         "Requests to other nodes, or by them where their clocks differ too much",
                         {{"result", std::string(kResults[i])}});
  return counters;
}

}  // namespace

Cluster::Cluster(Shield& shield, ClusterConfig config, MetricSet& metrics)
    : self_(random_name()),
      shield_(shield),
      config_(std::move(config)),
      auth_(config_.secret),
      untold_(config_.untold_file),
      leases_lost_(shield::leases_lost(metrics)),
      peer_requests_(peer_counters(metrics)),
      lease_waits_(metrics.histogram("tanggul_lease_wait_seconds",
                                     "From the first look at a lease to the decision who fetches")),
      place_(read_place(config_.place_file)) {
  metrics.gauge_fn("tanggul_cluster_nodes", "Nodes of the cluster that are alive", {},
                   [this] { return static_cast<double>(nodes()); });
  {
    const Lock lock(mutex_);
    begin_rules(place_);
  }
  shield_.on_purge(
      [this](Rule rule, std::string_view what) { announce(static_cast<std::uint8_t>(rule), what); },
      [this](const std::string& key) { announce(kWritten, key); });
  share_limits();
}

void Cluster::note_peer(const std::string& address, PeerResult result, const std::string& why) {
  peer_requests_[static_cast<std::size_t>(result)]->add();
  if (result == PeerResult::unreachable && unreachable_told_.now())
    log::warn("the node at {} cannot be reached: {}; what it fetches is waited for", address, why);
}

void Cluster::note_skew(Duration age) {
  peer_requests_[static_cast<std::size_t>(PeerResult::skewed)]->add();
  if (!skew_told_.now()) return;
  log::warn("another node's clock is {} s {} this one's: it cannot have what runs here",
            std::abs(std::chrono::floor<std::chrono::seconds>(age).count()),
            age > Duration::zero() ? "behind" : "ahead of");
}

Cluster::~Cluster() { shield_.on_purge({}, {}); }

std::string Cluster::why_unreachable() const {
  const Lock lock(mutex_);
  return why_;
}

void Cluster::begin_rules(const ports::PurgePlace& place) {
  rules_ = std::make_unique<cache::Purges>();
  rules_from_ = place.sequence;
  written_.clear();
  writes_.clear();
  written_from_ = 0;
}

ports::PurgePlace Cluster::place() const {
  const Lock lock(mutex_);
  return place_;
}
ports::PurgePlace Cluster::purges_seen() const { return place(); }

bool Cluster::outdated(std::string_view key, const cache::Entry& entry,
                       const ports::PurgePlace& asked_at) const {
  const Lock lock(mutex_);
  if (asked_at.epoch != place_.epoch || asked_at.sequence < rules_from_ ||
      asked_at.sequence < written_from_)
    return true;
  const auto written = written_.find(std::string(key));
  if (written != written_.end() && written->second > asked_at.sequence) return true;
  cache::Entry probe;  // what a rule looks at, without marks of the node's own purges
  probe.kind = entry.kind;
  probe.negative = entry.negative;
  probe.tags = entry.tags;
  probe.forms.resize(entry.forms.size());
  probe.generation = std::min(rules_->now(), 1 + asked_at.sequence - rules_from_);
  return rules_->outdated(key, probe);
}

// Of a failure nobody knows any more what it was of: any purge ends it.
bool Cluster::outdated_failure(const ports::PurgePlace& asked_at) const {
  const Lock lock(mutex_);
  return asked_at.epoch != place_.epoch || asked_at.sequence < place_.sequence;
}

void Cluster::announce_by(Announcer announcer) {
  {
    const Lock lock(mutex_);
    announcer_ = std::move(announcer);
  }
  std::set<std::pair<std::uint8_t, std::string>> former;
  for (const ports::SharedPurge& purge : untold_.former())
    former.emplace(purge.rule, subject_of(purge));
  std::vector<ports::SharedPurge> ours;
  for (const auto& [rule, what] : former)
    ours.push_back({.rule = rule, .what = signed_by(self_, what)});
  if (!untold_.take_over(ours))
    log::warn("purges that the other nodes are not told of yet cannot be written down again");
  for (const auto& [rule, what] : former) tell(rule, what);
}

void Cluster::announce(std::uint8_t rule, std::string_view what) {
  // Of writes there may be many, and while all is well they are told at once.
  if ((rule != kWritten || !reachable()) &&
      !untold_.add({.rule = rule, .what = signed_by(self_, what)}))
    log::warn("a purge is not written down: the other nodes hear of it while this one runs");
  tell(rule, what);
}

void Cluster::tell(std::uint8_t rule, std::string_view what) {
  Announcer announcer;
  {
    const Lock lock(mutex_);
    announcer = announcer_;
  }
  if (!announcer.purges) return;
  if (rule == static_cast<std::uint8_t>(cache::Purges::Rule::origin) && announcer.pauses_ended)
    announcer.pauses_ended(std::string(what));
  ports::SharedPurge purge;
  purge.rule = rule;
  purge.what = signed_by(self_, what);
  announcer.purges({std::move(purge)});
}

void Cluster::on_reach(bool reachable, const std::string& why) {
  if (reachable_.exchange(reachable) != reachable) {
    if (reachable)
      log::info("the cluster is reached");
    else
      log::warn("the cluster is away: {}; serving on alone", why);
  }
  {
    const Lock lock(mutex_);
    why_ = why;
  }
  share_limits();
}

void Cluster::on_nodes(std::size_t alive) {
  if (nodes_.exchange(std::max<std::size_t>(1, alive)) != alive) share_limits();
}

void Cluster::share_limits() {
  shield_.share_limits(reachable() ? LimitShare::cluster : LimitShare::part, nodes());
}

// Each is one rule, so that what is known of a copy stays in step; one of a later version covers
// nobody knows what, and so everything.
void Cluster::take(const ports::SharedPurge& purge) {
  const bool is_rule = purge.rule <= static_cast<std::uint8_t>(Rule::all_tags);
  const std::string what(subject_of(purge));
  {
    const Lock lock(mutex_);
    if (is_rule) {
      rules_->add(static_cast<Rule>(purge.rule), what);
    } else {
      rules_->add(Rule::target, "");  // of no key
    }
    if (purge.rule == kWritten) note_written(what, purge.sequence);
    if (!is_rule && purge.rule != kWritten) begin_rules({place_.epoch, purge.sequence});
  }
  if (maker_of(purge) == self_) return untold_.told(purge);
  if (purge.rule == kWritten) return shield_.take_written(what);
  if (is_rule) return take_purge(shield_, static_cast<Rule>(purge.rule), what);
  outdate_everything();
}

void Cluster::outdate_everything() {
  for (const auto& up : shield_.routes()->upstreams)
    take_purge(shield_, Rule::origin, up->config().name);
}

void Cluster::note_written(std::string_view key, std::uint64_t sequence) {
  written_.insert_or_assign(std::string(key), sequence);
  writes_.emplace_back(sequence, key);
  if (writes_.size() <= kMostWritten) return;
  const auto [oldest, which] = std::move(writes_.front());
  writes_.pop_front();
  written_from_ = oldest;
  if (const auto at = written_.find(which); at != written_.end() && at->second == oldest)
    written_.erase(at);
}

void Cluster::on_purges(const ports::PurgePlace& place,
                        const std::vector<ports::SharedPurge>& purges, bool complete) {
  const ports::PurgePlace before = this->place();
  const bool anew = before.epoch != place.epoch || !complete;
  if (anew) {
    const Lock lock(mutex_);
    begin_rules(
        {place.epoch, place.sequence - std::min<std::uint64_t>(place.sequence, purges.size())});
  }
  // A node that has just come has nothing that it might have missed; one that was away for too long
  // cannot tell what it has.
  if (!complete && !before.epoch.empty()) {
    log::warn("purges of other nodes were missed: what was stored before is fetched anew");
    outdate_everything();
  }
  for (const ports::SharedPurge& purge : purges) take(purge);
  {
    const Lock lock(mutex_);
    place_ = place;
  }
  keep_place(place);
}

// Of one length and by one call, so that it is never half of one and half of another, and never
// empty once it was written.
void Cluster::keep_place(const ports::PurgePlace& place) const {
  if (config_.place_file.empty()) return;
  std::string line = place.epoch + " " + std::to_string(place.sequence);
  line.resize(std::max(line.size(), kPlaceLine), ' ');
  line += '\n';
  const int fd = ::open(config_.place_file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || !write_at(fd, 0, line))
    log::warn("{} cannot be written: a purge that comes while this node is down may be missed",
              config_.place_file);
  if (fd >= 0) ::close(fd);
}

void Cluster::on_breaker(const std::string& origin, const ports::BreakerView& view) {
  if (const UpstreamPtr up = shield_.routes()->find(origin); up && up->config().breaker_shared)
    up->state().adopt(view, MonoClock::now(), false);
}

void Cluster::on_pause(const std::string& origin, const std::string& credential, Duration pause) {
  if (const UpstreamPtr up = shield_.routes()->find(origin))
    up->state().pause(credential, MonoClock::now() + pause);
}

}  // namespace tanggul::shield
