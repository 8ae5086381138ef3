#include "app/config/origin_policies.h"

#include <algorithm>
#include <cctype>

namespace tanggul::app {
namespace {

constexpr Duration kTooShortToHelp = 15s;
constexpr Duration kLongestFailure = policy::kLongestFailure;

bool is_field_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Those of the keys that this section sets are no longer left to a kind's own defaults.
void note_set(OriginDraft& draft, const Section& s, std::string_view before,
              std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (s.has(key)) draft.settings.sets.insert(fmt::format("{}{}", before, key));
}

void read_times(Section& s, shield::OriginConfig& config) {
  s.duration("ttl", config.freshness.ttl);
  s.duration("metadata_ttl", config.freshness.metadata_ttl);
  s.duration("ttl_jitter", config.freshness.ttl_jitter);
  config.negative.jitter = config.freshness.ttl_jitter;
  s.duration("stale_while_revalidate", config.freshness.stale_while_revalidate);
  s.duration("stale_if_error", config.freshness.stale_if_error);
  s.boolean("override_origin", config.freshness.override_origin);
  s.choice<bool>("unclear_age", config.freshness.distrust_unclear_age,
                 {{"ignore", false}, {"stale", true}});
  if (s.has("targeted_cache_control")) {
    config.targeted = s.strings("targeted_cache_control");
    for (const std::string& field : config.targeted)
      if (!is_field_name(field))
        s.wrong("targeted_cache_control", "is no header's name; write one like CDN-Cache-Control");
  }
  s.know("targeted_cache_control");
  s.number("early_refresh_beta", config.early_refresh_beta, 0, 100);
  s.duration("deadline", config.deadline, 1ms);
  Section timeout = s.section("timeout");
  timeout.duration("connect", config.timeouts.connect, 1ms);
  timeout.duration("first_byte", config.timeouts.first_byte, 1ms);
  timeout.duration("idle", config.timeouts.idle, 1ms);
  timeout.byte_rate("min_rate", config.timeouts.min_rate);
  timeout.finish();
}

// How long a failure of the origin is remembered: longer than 60 s would block recovery, shorter
// than 15 s lets the herd back.
void failure_ttl(Section& s, std::string_view key, Duration& out) {
  const Duration before = out;
  s.duration(key, out);
  if (out > kLongestFailure) {
    s.wrong(key, "would block recovery; write 60s or less");
    out = before;
  } else if (out < kTooShortToHelp && out != Duration::zero() && s.has(key)) {
    s.warn(key, "is so short that the herd is back soon; 15s to 60s is better, 0s is off");
  }
}

void read_negative(Section& s, OriginDraft& draft) {
  policy::NegativeConfig& config = draft.config.negative;
  Section negative = s.section("negative");
  note_set(draft, negative, "negative.", {"server_error", "unreachable"});
  negative.duration("not_found", config.not_found);
  failure_ttl(negative, "server_error", config.server_error);
  failure_ttl(negative, "unreachable", config.unreachable);
  negative.finish();
}

void read_key(Section& s, OriginSettings& settings) {
  if (s.string("key_pattern", settings.key_pattern)) {
    const auto& text = settings.key_pattern;
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
      return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    });
    if (!plain || text.size() > 64)
      s.wrong("key_pattern", "is no label; write 64 letters or fewer");
  }
  Section key = s.section("key");
  key.boolean("sort_query", settings.key.sort_query);
  if (key.has("drop_query")) settings.key.drop_query.clear();
  for (std::string& name : key.strings("drop_query")) {
    settings.key.drop_query.push_back(std::move(name));
  }
  key.finish();
  const bool set = settings.key.sort_query || !settings.key.drop_query.empty();
  if (set && settings.kind == "npm") {
    s.warn("key", "has no effect on kind npm, which knows what its queries mean");
  }
}

void read_retry(Section& s, OriginDraft& draft) {
  shield::OriginConfig& config = draft.config;
  Section retry = s.section("retry");
  note_set(draft, retry, "retry.", {"attempts"});
  retry.integer("attempts", config.retry.attempts, 1, 5);
  retry.duration("base", config.retry.base, 1ms);
  retry.duration("cap", config.retry.cap, 1ms);
  retry.number("budget", config.retry_budget, 0, 1);
  if (config.retry.cap < config.retry.base) {
    retry.error("cap", fmt::format("is below base, {}; write that or more",
                                   write_duration(config.retry.base)));
  }
  retry.finish();
}

void read_breaker(Section& s, OriginDraft& draft) {
  policy::BreakerConfig& config = draft.config.breaker;
  Section breaker = s.section("breaker");
  breaker.duration("window", config.window, 100ms);
  breaker.integer("min_requests", config.min_requests, 1, 1'000'000);
  breaker.number("failure_ratio", config.failure_ratio, 0.01, 1);
  breaker.duration("open_for", config.open_for, 100ms);
  breaker.duration("max_open", config.max_open, 100ms);
  breaker.integer("probes", config.probes, 1, 1000);
  breaker.choice<Scope>("scope", draft.settings.breaker_scope,
                        {{"local", Scope::local}, {"cluster", Scope::cluster}});
  draft.config.breaker_shared = draft.settings.breaker_scope == Scope::cluster;
  shield::HoldConfig& hold = draft.config.hold;
  breaker.choice<bool>("when_open", hold.by_default, {{"fail", false}, {"hold", true}});
  breaker.duration("hold", hold.most);
  breaker.integer("hold_max", hold.max, 0, 1'000'000);
  if (hold.by_default && (hold.max == 0 || hold.most == Duration::zero())) {
    breaker.warn("when_open", "holds nothing: hold or hold_max is 0");
  }
  if (config.max_open < config.open_for) {
    breaker.error("max_open", fmt::format("is below open_for, {}; write that or more",
                                          write_duration(config.open_for)));
  } else if (config.max_open > 60s && breaker.has("max_open")) {
    breaker.warn("max_open", "keeps a recovered origin waiting; 60s or less is better");
  }
  breaker.finish();
}

void read_limit(Section& s, OriginDraft& draft) {
  shield::LimitConfig& config = draft.config.limit;
  Section limit = s.section("limit");
  note_set(draft, limit, "limit.", {"concurrency", "queue_wait"});
  limit.integer("concurrency", config.concurrency, 1, 100'000);
  limit.boolean("adaptive", config.adaptive);
  limit.rate("rate", draft.settings.rate);
  config.rate = draft.settings.rate.per_second;
  limit.number("burst", config.burst, 1, 1e9);
  limit.integer("daily", config.daily, 0, 1'000'000'000'000);
  limit.integer("queue", config.queue, 0, 1'000'000);
  limit.duration("queue_wait", config.queue_wait);
  limit.choice<Scope>("scope", draft.settings.limit_scope,
                      {{"local", Scope::local}, {"cluster", Scope::cluster}});
  draft.config.limit_shared = draft.settings.limit_scope == Scope::cluster;
  limit.finish();
}

void read_transport(Section& s, OriginDraft& draft) {
  s.size("max_object", draft.config.max_object, 1);
  s.size("max_body", draft.config.max_body);
  s.size("range_passthrough", draft.config.range_passthrough);
  s.boolean("http2", draft.config.http2);
  note_set(draft, s, "", {"ttl", "deadline", "max_object", "request_headers"});
  s.choice<bool>("request_headers", draft.config.all_request_headers,
                 {{"selecting", false}, {"all", true}});
  if (s.string("probe", draft.config.probe)) {
    const auto& path = draft.config.probe;
    const bool plain =
        std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (!path.starts_with('/') || !plain) s.wrong("probe", "is no path; write one like /-/ping");
  }
  Section tls = s.section("tls");
  tls.string("ca", draft.config.tls.ca);
  tls.string("cert", draft.config.tls.cert);
  tls.string("key", draft.config.tls.key);
  if (draft.config.tls.cert.empty() != draft.config.tls.key.empty()) {
    tls.error(draft.config.tls.cert.empty() ? "key" : "cert",
              "a client certificate needs both cert and key; write both or neither");
  }
  tls.finish();
}

}  // namespace

void read_policies(Section& s, OriginDraft& draft) {
  read_times(s, draft.config);
  read_negative(s, draft);
  read_key(s, draft.settings);
  read_retry(s, draft);
  read_breaker(s, draft);
  read_limit(s, draft);
  read_transport(s, draft);
}

void complete_policies(OriginDraft& draft) {
  shield::OriginConfig& config = draft.config;
  const policy::FreshnessConfig& ours = config.freshness;
  const bool by_the_rfc = ours.ttl == Duration::zero() && ours.metadata_ttl == Duration::zero() &&
                          ours.stale_while_revalidate == Duration::zero() &&
                          ours.stale_if_error == Duration::zero();
  if (!by_the_rfc || config.kind->is_registry()) return;
  const auto& sets = draft.settings.sets;
  if (!sets.contains("request_headers")) config.all_request_headers = true;
  if (!sets.contains("retry.attempts")) config.retry.attempts = 1;
  if (!sets.contains("negative.server_error")) config.negative.server_error = Duration::zero();
}

}  // namespace tanggul::app
