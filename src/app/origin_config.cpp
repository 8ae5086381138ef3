#include "app/origin_config.h"

#include <algorithm>

#include "app/kinds.h"
#include "app/url.h"

namespace tanggul::app {
namespace {

constexpr Duration kTooShortToHelp = 15s;
constexpr Duration kLongestFailure = policy::kLongestFailure;

void read_kind(Section& s, OriginSettings& settings) {
  std::string kind;
  if (!s.string("kind", kind)) return;
  settings.kind = kind;
  const auto& known = known_kinds();
  if (std::find(known.begin(), known.end(), kind) == known.end()) {
    const std::string_view near = nearest(kind, known);
    s.wrong("kind", near.empty()
                        ? fmt::format("is no kind; write one of {}", fmt::join(known, ", "))
                        : fmt::format("is no kind; did you mean {}?", near));
  } else if (make_kind(kind, {}) == nullptr) {
    s.wrong("kind", "is a kind that this version does not have; it has npm and generic");
  }
}

// An empty result is an error that has been told.
std::string checked_mount(Section& s, std::string mount) {
  constexpr std::string_view kForbidden = " ?#%\\\"'<>";
  if (mount.find_first_of("{}") != std::string::npos) {
    s.wrong("mount", "is a template, which only kind sql has; write a path like /npm/");
    return {};
  }
  const bool printable =
      std::all_of(mount.begin(), mount.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!mount.ends_with('/')) mount += '/';
  if (mount.front() != '/' || !printable || mount.find_first_of(kForbidden) != std::string::npos ||
      mount.find("//") != std::string::npos || mount.find("/./") != std::string::npos ||
      mount.find("/../") != std::string::npos) {
    s.wrong("mount", "is no mount; write a path like /npm/");
    return {};
  }
  if (mount.starts_with("/.tanggul/")) {
    s.wrong("mount", "lies below /.tanggul/, which is ours; write another path");
    return {};
  }
  return mount;
}

void read_upstreams(Section& s, OriginDraft& draft) {
  if (!s.has("upstream")) return s.know("upstream");
  const std::vector<std::string> texts = s.strings("upstream");
  draft.config.upstreams.clear();
  std::optional<std::string> authorization;
  for (const std::string& text : texts) {
    const Read<Url> url = read_url(text);
    if (!url.value) {
      s.error("upstream", fmt::format("\"{}\" {}", mask_userinfo(text), url.wrong));
      continue;
    }
    if (authorization.value_or(url.value->authorization) != url.value->authorization) {
      s.error("upstream", "its URLs carry different credentials; give all of them the same");
    }
    authorization = url.value->authorization;
    draft.config.upstreams.push_back({url.value->base(), url.value->path});
  }
  if (!authorization || (authorization->empty() && !draft.settings.header_env.empty())) return;
  draft.config.service_auth = *authorization;
  draft.settings.header_env.clear();
}

void read_auth(Section& s, OriginDraft& draft) {
  const auto& entries = s.entries();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [](const YamlEntry& e) { return e.key == "auth"; });
  const bool in_url = !draft.config.service_auth.empty() && draft.settings.header_env.empty();
  if (entry == entries.end() || entry->value.type == YamlNode::Type::scalar) {
    std::string auth;
    if (!s.string("auth", auth)) return;
    if (auth == "service") {
      s.wrong("auth", "names no credential; write { service: { header_env: NAME } }");
    } else if (auth != "passthrough") {
      s.wrong("auth",
              "is none of its values; write passthrough or "
              "{ service: { header_env: NAME } }");
    } else if (in_url) {
      s.wrong("auth", "contradicts the credential in upstream; leave one of them out");
    } else {
      draft.settings.header_env.clear();
      draft.config.service_auth.clear();
    }
    return;
  }
  Section auth = s.section("auth");
  Section service = auth.section("service");
  std::string name;
  if (!service.string("header_env", name)) {
    if (!service.has("header_env")) {
      s.error("auth", "names no credential; write { service: { header_env: NAME } }");
    }
  } else if (in_url) {
    s.error("auth", "contradicts the credential in upstream; leave one of them out");
  } else if (const auto value = s.report().environment(name); !value || value->empty()) {
    service.wrong("header_env",
                  "is not set in the environment; set it to the Authorization header "
                  "that the origin expects");
  } else if (std::any_of(value->begin(), value->end(),
                         [](unsigned char c) { return c < ' ' || c == 0x7f; })) {
    service.wrong("header_env",
                  "holds a line break or another control character; a header has "
                  "none");
  } else {
    draft.settings.header_env = name;
    draft.config.service_auth = *value;
  }
  service.finish();
  auth.finish();
}

void read_times(Section& s, shield::OriginConfig& config) {
  s.duration("ttl", config.freshness.ttl);
  s.duration("metadata_ttl", config.freshness.metadata_ttl);
  s.duration("ttl_jitter", config.freshness.ttl_jitter);
  config.negative.jitter = config.freshness.ttl_jitter;
  s.duration("stale_while_revalidate", config.freshness.stale_while_revalidate);
  s.duration("stale_if_error", config.freshness.stale_if_error);
  s.boolean("override_origin", config.freshness.override_origin);
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

void read_negative(Section& s, policy::NegativeConfig& config) {
  Section negative = s.section("negative");
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

void read_retry(Section& s, shield::OriginConfig& config) {
  Section retry = s.section("retry");
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
  enum class WhenOpen { fail, hold } when_open = WhenOpen::fail;
  breaker.choice<WhenOpen>("when_open", when_open,
                           {{"fail", WhenOpen::fail}, {"hold", WhenOpen::hold}});
  if (when_open == WhenOpen::hold) {
    breaker.error("when_open", "this version cannot hold requests; write fail");
  }
  breaker.duration("hold", draft.settings.hold);
  breaker.integer("hold_max", draft.settings.hold_max, 0, 1'000'000);
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
  limit.finish();
}

void read_transport(Section& s, OriginDraft& draft) {
  s.size("max_object", draft.config.max_object, 1);
  s.size("max_body", draft.config.max_body);
  s.size("range_passthrough", draft.settings.range_passthrough);
  s.boolean("http2", draft.config.http2);
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

void refuse_sql_keys(Section& s, const OriginSettings& settings) {
  for (const std::string_view key : {"database", "query", "rows", "params", "pool", "notify"}) {
    if (!s.has(key)) continue;
    s.know(key);
    if (settings.kind != "sql") s.error(key, "is a key of kind sql alone; leave it out");
  }
}

}  // namespace

void read_origin(Section& s, OriginDraft& draft) {
  read_kind(s, draft.settings);
  std::string mount;
  if (s.string("mount", mount) && draft.settings.kind != "sql") {
    draft.config.mount = checked_mount(s, std::move(mount));
  }
  read_upstreams(s, draft);
  read_auth(s, draft);
  read_times(s, draft.config);
  read_negative(s, draft.config.negative);
  read_key(s, draft.settings);
  read_retry(s, draft.config);
  read_breaker(s, draft);
  read_limit(s, draft);
  read_transport(s, draft);
  refuse_sql_keys(s, draft.settings);
  s.finish();
}

void complete_origin(Section& s, OriginDraft& draft) {
  shield::OriginConfig& config = draft.config;
  if (draft.settings.kind.empty()) {
    if (!s.has("kind")) s.error("kind", "is missing; write one, npm or generic");
    return;
  }
  config.kind = make_kind(draft.settings.kind, draft.settings.key);
  if (config.kind == nullptr) return;  // told by read_kind
  if (config.mount.empty() && !s.has("mount")) config.mount = fmt::format("/{}/", config.name);
  if (config.upstreams.empty() && (!s.has("upstream") || s.strings("upstream").empty())) {
    s.error("upstream", "is missing; write the URL that this origin stands for");
  }
  config.key_patterns = config.kind->patterns(config.name);
  if (!draft.settings.key_pattern.empty()) {
    std::fill(config.key_patterns.begin(), config.key_patterns.end(), draft.settings.key_pattern);
  }
}

}  // namespace tanggul::app
