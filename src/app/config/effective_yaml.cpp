#include <fmt/format.h>

#include "app/config/config.h"
#include "app/config/sql_origin.h"
#include "app/config/url.h"

namespace tanggul::app {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.append("\\").append(1, c);
    } else if (static_cast<unsigned char>(c) < ' ') {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string quoted(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out.append(out.empty() ? "" : ", ").append(quoted(text));
  return "[" + out + "]";
}

std::string_view word(Scope s) { return s == Scope::local ? "local" : "cluster"; }

std::string_view word(AccessLog log) {
  switch (log) {
    case AccessLog::text:
      return "text";
    case AccessLog::json:
      return "json";
    case AccessLog::off:
      return "off";
  }
  return "";
}

class Writer {
 public:
  // A key that is empty is left out: absent is its default.
  void text(std::string_view key, std::string_view value) {
    if (!value.empty()) raw(key, quoted(value));
  }
  void time(std::string_view key, Duration value) { raw(key, write_duration(value)); }
  void size(std::string_view key, ByteCount value) { raw(key, write_size(value)); }
  template <class T>
  void raw(std::string_view key, const T& value) {
    out_ += fmt::format("{:{}}{}: {}\n", "", indent_, key, value);
  }
  void open(std::string_view key) {
    out_ += fmt::format("{:{}}{}:\n", "", indent_, key);
    indent_ += 2;
  }
  void close() { indent_ -= 2; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  int indent_ = 0;
};

std::string upstreams(const shield::OriginConfig& origin, const OriginSettings& settings) {
  const bool masked = !origin.service_auth.empty() && settings.header_env.empty();
  std::vector<std::string> urls;
  for (const auto& [base, path] : origin.upstreams) {
    std::string url = base + path + "/";
    if (masked) url.insert(url.find("://") + 3, std::string(kMaskedUserinfo) + "@");
    urls.push_back(std::move(url));
  }
  return quoted(urls);
}

void write_sql(Writer& w, const SqlSettings& sql) {
  w.text("database", mask_database(sql.database));
  w.text("query", sql.query);
  w.raw("rows", sql.many ? "many" : "one");
  if (!sql.parameters.empty()) {
    w.open("params");
    for (const auto& p : sql.parameters) {
      std::string more;
      if (p.fallback) more = ", default: " + quoted(*p.fallback);
      if (p.optional) more = ", optional: true";
      w.raw(p.name, fmt::format("{{ type: {}{} }}", registry::sql::name(p.type), more));
    }
    w.close();
  }
  w.raw("pool", sql.pool);
  w.text("notify", sql.notify);
}

void write_where(Writer& w, const shield::OriginConfig& origin, const OriginSettings& settings) {
  w.raw("kind", settings.kind);
  w.text("mount", origin.written_mount());
  if (settings.kind == "sql") {
    write_sql(w, settings.sql);
    w.text("key_pattern", settings.key_pattern);
    return;
  }
  w.raw("upstream", upstreams(origin, settings));
  if (!settings.header_env.empty()) {
    w.raw("auth", fmt::format("{{ service: {{ header_env: {} }} }}", quoted(settings.header_env)));
  } else if (origin.service_auth.empty()) {
    w.raw("auth", "passthrough");
  }
  w.text("key_pattern", settings.key_pattern);
  if (settings.kind == "generic") {
    w.raw("key", fmt::format("{{ sort_query: {}, drop_query: {} }}", settings.key.sort_query,
                             quoted(settings.key.drop_query)));
  }
}

void write_when(Writer& w, const shield::OriginConfig& origin) {
  w.time("ttl", origin.freshness.ttl);
  w.time("metadata_ttl", origin.freshness.metadata_ttl);
  w.time("ttl_jitter", origin.freshness.ttl_jitter);
  w.time("stale_while_revalidate", origin.freshness.stale_while_revalidate);
  w.time("stale_if_error", origin.freshness.stale_if_error);
  w.raw("override_origin", origin.freshness.override_origin);
  w.raw("unclear_age", origin.freshness.distrust_unclear_age ? "stale" : "ignore");
  w.raw("targeted_cache_control", quoted(origin.targeted));
  w.raw("early_refresh_beta", origin.early_refresh_beta);
  w.open("negative");
  w.time("not_found", origin.negative.not_found);
  w.time("server_error", origin.negative.server_error);
  w.time("unreachable", origin.negative.unreachable);
  w.close();
  w.time("deadline", origin.deadline);
  w.open("timeout");
  w.time("connect", origin.timeouts.connect);
  w.time("first_byte", origin.timeouts.first_byte);
  w.time("idle", origin.timeouts.idle);
  w.raw("min_rate", write_size(origin.timeouts.min_rate) + "/s");
  w.close();
}

void write_guards(Writer& w, const shield::OriginConfig& origin, const OriginSettings& settings) {
  w.open("retry");
  w.raw("attempts", origin.retry.attempts);
  w.time("base", origin.retry.base);
  w.time("cap", origin.retry.cap);
  w.raw("budget", origin.retry_budget);
  w.close();
  w.open("breaker");
  w.time("window", origin.breaker.window);
  w.raw("min_requests", origin.breaker.min_requests);
  w.raw("failure_ratio", origin.breaker.failure_ratio);
  w.time("open_for", origin.breaker.open_for);
  w.time("max_open", origin.breaker.max_open);
  w.raw("probes", origin.breaker.probes);
  w.raw("scope", word(settings.breaker_scope));
  w.raw("when_open", origin.hold.by_default ? "hold" : "fail");
  w.time("hold", origin.hold.most);
  w.raw("hold_max", origin.hold.max);
  w.close();
  w.open("limit");
  w.raw("concurrency", origin.limit.concurrency);
  w.raw("adaptive", origin.limit.adaptive);
  if (!settings.rate.text.empty()) w.raw("rate", settings.rate.text);
  w.raw("burst", origin.limit.burst);
  w.raw("daily", origin.limit.daily);
  w.raw("queue", origin.limit.queue);
  w.time("queue_wait", origin.limit.queue_wait);
  w.raw("scope", word(settings.limit_scope));
  w.close();
}

void write_transport(Writer& w, const shield::OriginConfig& origin) {
  w.size("max_object", origin.max_object);
  w.size("max_body", origin.max_body);
  if (!origin.probe.empty()) w.text("probe", origin.probe);
  w.size("range_passthrough", origin.range_passthrough);
  w.raw("http2", origin.http2);
  w.raw("request_headers", origin.all_request_headers ? "all" : "selecting");
  if (origin.tls.ca.empty() && origin.tls.cert.empty()) return;
  w.open("tls");
  w.text("ca", origin.tls.ca);
  w.text("cert", origin.tls.cert);
  w.text("key", origin.tls.key);
  w.close();
}

void write_process(Writer& w, const Config& config) {
  w.text("listen", config.listen);
  w.text("admin", config.admin);
  w.text("admin_token_env", config.admin_token_env);
  w.text("once_token_env", config.once_token_env);
  w.time("lease", config.shield.lease_ttl);
  w.text("data_dir", config.data_dir);
  w.raw("threads", config.threads);
  w.open("cache");
  w.size("memory", config.shield.memory);
  w.size("disk", config.shield.disk);
  w.raw("sync", config.cache_sync == CacheSync::data ? "data" : "none");
  w.close();
  w.raw("access_log", word(config.access_log));
  w.text("public_url", config.public_url);
  w.raw("trusted_proxies", quoted(config.trusted_proxies));
  w.open("client");
  w.time("header", config.client.header);
  w.time("idle", config.client.idle);
  w.time("stall", config.client.stall);
  w.raw("connections", config.client.connections);
  w.raw("half_close", config.client.half_close == HalfClose::serve ? "serve" : "leave");
  w.close();
  if (!config.tls.cert.empty()) {
    w.open("tls");
    w.text("cert", config.tls.cert);
    w.text("key", config.tls.key);
    w.close();
  }
  w.time("shutdown", config.shutdown);
  if (const ClusterSettings& cluster = config.cluster; !cluster.redis.empty()) {
    w.open("cluster");
    w.text("redis", mask_userinfo(cluster.redis));
    w.text("node", cluster.node);
    w.text("advertise", cluster.advertise);
    if (!cluster.ca.empty()) w.text("ca", cluster.ca);
    if (!cluster.secret_env.empty())
      w.text("secret_env", cluster.secret_env);
    else
      w.text("secret", "***");
    w.text("prefix", cluster.prefix);
    w.size("memory", cluster.memory);
    w.close();
  }
  w.open("defaults");  // the rest of them stands with each origin
  w.size("max_object", config.shield.once_max_object);
  w.close();
}

void write_sync(Writer& w, const SyncSettings& settings) {
  w.open("sync");
  w.text("listen", settings.listen);
  w.text("queue", mask_userinfo(settings.queue.text));
  w.text("catalog", mask_userinfo(settings.catalog.text));
  w.raw("internal_hosts", quoted(settings.internal_hosts));
  w.time("lease", settings.lease);
  w.raw("attempts", settings.attempts);
  w.open("pools");
  for (const sync::Pool& pool : settings.pools) {
    w.open(pool.name);
    w.raw("workers", pool.workers);
    w.size("memory", pool.memory);
    w.size("text_limit", pool.text_limit);
    w.size("clone_limit", pool.clone_limit);
    w.time("timeout", pool.timeout);
    w.raw("hands_on_to", pool.hands_on_to.empty() ? "none" : quoted(pool.hands_on_to));
    w.close();
  }
  w.close();
  w.close();
}

}  // namespace

std::string effective_yaml(const Config& config) {
  Writer w;
  write_process(w, config);
  write_sync(w, config.sync);
  if (!config.names_origins) return w.take();
  if (config.shield.origins.empty()) {
    w.raw("origins", "{}");
    return w.take();
  }
  w.open("origins");
  for (std::size_t i = 0; i < config.shield.origins.size(); ++i) {
    const auto& origin = config.shield.origins[i];
    const auto& settings = config.settings[i];
    w.open(quoted(origin.name));
    write_where(w, origin, settings);
    write_when(w, origin);
    write_guards(w, origin, settings);
    write_transport(w, origin);
    w.close();
  }
  w.close();
  return w.take();
}

}  // namespace tanggul::app
