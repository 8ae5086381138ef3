#include "app/service/status_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "app/config/units.h"
#include "app/version.h"
#include "base/utf8.h"

namespace tanggul::app {
namespace {

namespace json = boost::json;

json::value rfc3339(WallTime at) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
  return json::string(fmt::format("{:%FT%TZ}", fmt::gmtime(static_cast<std::time_t>(whole))));
}

WallTime on_the_calendar(MonoTime at, Now now) { return now.wall + (at - now.mono); }

// `48,210 keys in 5 min, they differ in ?ts=`, where coalescing does not help; else null.
json::value not_coalescing(const shield::PatternState& pattern, policy::CoalescingFigures figures,
                           Duration origin_latency, MonoTime now) {
  figures.origin_latency = origin_latency;
  if (!policy::coalescing_fails(figures)) return nullptr;
  return json::string(fmt::format("{} keys in {} min, {}", write_count(figures.distinct_keys),
                                  policy::DistinctCount::kWindow / std::chrono::minutes(1),
                                  policy::describe(pattern.difference(now))));
}

// Each state once: one name may stand for all of a kind's patterns.
std::vector<const shield::PatternMetrics*> patterns_of(const shield::Upstream& upstream) {
  std::vector<const shield::PatternMetrics*> out;
  for (const auto& p : upstream.patterns())
    if (std::none_of(out.begin(), out.end(), [&](const auto* o) { return o->state == p.state; }))
      out.push_back(&p);
  return out;
}

json::object describe(const shield::PatternMetrics& pattern, Duration origin_latency,
                      MonoTime now) {
  const policy::CoalescingFigures recent = pattern.state->recent(now);
  return {{"name", pattern.name},
          {"flights_started", pattern.flights_started->value()},
          {"shared", pattern.shared->value()},
          {"distinct_keys", std::llround(recent.distinct_keys)},
          {"last_5_minutes",
           {{"flights_started", recent.fetches},
            {"flights_shared", recent.shared},
            {"shared", pattern.state->shared_lately(now)}}},
          {"not_coalescing", not_coalescing(*pattern.state, recent, origin_latency, now)}};
}

void describe_breaker(json::object& out, const shield::OriginState& up, Now now) {
  const auto state = up.breaker_state(now.mono);
  const MonoTime since = up.breaker_since();
  const bool changed = since != MonoTime{};
  out["breaker"] = policy::name(state);
  out["breaker_since_seconds"] = changed ? seconds(now.mono - since) : 0.0;
  out["breaker_since"] = changed ? rfc3339(on_the_calendar(since, now)) : json::value();
  out["next_probe_seconds"] = nullptr;
  if (state == policy::BreakerState::open)
    out["next_probe_seconds"] =
        seconds(std::max(up.next_probe(now.mono) - now.mono, Duration::zero()));
}

void describe_error(json::object& out, const shield::OriginState& up, Now now) {
  const auto error = up.last_error();
  const bool any = !error.text.empty();
  out["last_error"] = error.text;
  out["last_error_at"] = any ? rfc3339(error.at) : json::value();
  out["last_error_seconds"] = nullptr;
  if (any) out["last_error_seconds"] = std::max(0.0, seconds(now.wall - error.at));
}

void describe_rest(json::object& out, const shield::OriginState& up, Now now) {
  const auto paused = up.paused_until("", now.mono);
  const auto resting = up.resting(now.mono);
  out["paused_seconds"] = paused ? seconds(*paused - now.mono) : 0.0;
  out["paused_until"] = paused ? rfc3339(on_the_calendar(*paused, now)) : json::value();
  out["paused_credentials"] = resting.credentials;
  out["paused_credentials_until"] =
      resting.credentials > 0 ? rfc3339(on_the_calendar(resting.until, now)) : json::value();
}

json::object describe(const shield::Upstream& upstream, Now now) {
  const shield::OriginConfig& config = upstream.config();
  shield::OriginState& up = upstream.state();
  const shield::OriginMetrics& m = up.metrics();
  json::object out{
      {"name", config.name}, {"mount", config.written_mount()}, {"kind", config.kind->name()}};
  describe_breaker(out, up, now);
  describe_error(out, up, now);
  describe_rest(out, up, now);
  out["flights"] = static_cast<std::int64_t>(m.flights->value());
  out["running"] = up.limit().running();
  out["limit"] = up.limit().limit();
  out["queued"] = up.limit().queued();
  out["held"] = up.waiting().size();
  out["gates_waiting"] = up.watchers();
  json::object requests, origin_requests;
  for (std::size_t i = 0; i < shield::kOutcomeNames.size(); ++i)
    requests[shield::kOutcomeNames[i]] = m.requests[i]->value();
  for (const auto& [code, counter] : m.origin_requests) origin_requests[code] = counter->value();
  out["requests"] = std::move(requests);
  out["origin_requests"] = std::move(origin_requests);
  const auto minute = up.recent(now.mono, 1min);
  out["last_minute"] = {{"requests", minute.requests},
                        {"origin_requests", minute.origin_requests},
                        {"stale", minute.stale},
                        {"negative", minute.negative}};
  const Duration latency = up.recent(now.mono, policy::DistinctCount::kWindow).origin_latency;
  out["origin_latency_seconds"] = seconds(latency);
  std::uint64_t shared = 0;
  json::array patterns;
  for (const shield::PatternMetrics* p : patterns_of(upstream)) {
    shared += p->shared->value();
    patterns.push_back(describe(*p, latency, now.mono));
  }
  out["shared"] = shared;
  out["key_patterns"] = std::move(patterns);
  return out;
}

json::object describe_cache(const shield::Shield& shield) {
  json::object out{{"memory_bytes", shield.memory().bytes()}, {"disk_bytes", 0}};
  if (const std::string trouble = shield.trouble(MonoClock::now()); !trouble.empty())
    out["trouble"] = trouble;
  const cache::DiskTier* disk = shield.disk();
  if (disk == nullptr) return out;
  out["disk_bytes"] = disk->bytes();
  out["disk_files"] = disk->objects();
  out["indexing"] = disk->indexing();
  return out;
}

json::array describe_once(const shield::Shield& shield, Now now) {
  json::array out;
  for (const auto& build : shield.once_builds().latest())
    out.push_back({{"key", build.key},
                   {"by", build.by},
                   {"at", rfc3339(build.at)},
                   {"seconds", std::max(0.0, seconds(now.wall - build.at))},
                   {"bytes", build.size},
                   {"status", build.status}});
  return out;
}

json::value describe_cluster(const shield::Cluster* cluster) {
  if (cluster == nullptr) return nullptr;
  json::object out{{"node", cluster->config().node},
                   {"advertise", cluster->config().advertise},
                   {"reachable", cluster->reachable()},
                   {"nodes", cluster->nodes()}};
  if (!cluster->reachable()) out["trouble"] = cluster->why_unreachable();
  return out;
}

}  // namespace

json::object status_report(const shield::Shield& shield, const shield::Cluster* cluster,
                           MonoTime started) {
  const Now now = Now::take();
  json::array origins;
  for (const auto& up : shield.routes()->upstreams) origins.push_back(describe(*up, now));
  return {{"version", kVersion},
          {"at", rfc3339(now.wall)},
          {"uptime_seconds", static_cast<std::int64_t>(seconds(now.mono - started))},
          {"draining", shield.draining()},
          {"origins", std::move(origins)},
          {"cache", describe_cache(shield)},
          {"cluster", describe_cluster(cluster)},
          {"once", describe_once(shield, now)},
          {"flights", shield.flights().size()}};
}

// Some of it comes from outside, the names of parameters for one, and may be no UTF-8.
std::string status_text(const shield::Shield& shield, const shield::Cluster* cluster,
                        MonoTime started) {
  return to_utf8(json::serialize(status_report(shield, cluster, started))) + "\n";
}

}  // namespace tanggul::app
