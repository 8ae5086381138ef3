#include "app/config/sql_origin.h"

#include <algorithm>

#include "adapters/postgres/address.h"
#include "app/config/url.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "registry/sql/kind.h"
#include "registry/sql/query_text.h"

namespace tanggul::app {
namespace {

namespace sql = registry::sql;

constexpr Duration kTtl = 5min;
constexpr Duration kDeadline = 3s;
// Past the end of a query its callers wait so much longer, to hear of it and not of themselves.
constexpr Duration kToTell = 100ms;
// For a connection: less than a query may take, so that who gets none is told so.
constexpr Duration kQueueWait = 1s;
constexpr ByteCount kMaxObject = 16_MiB;

bool is_word(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() <= 63 && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), plain);
}

void read_database(Section& s, SqlSettings& sql) {
  std::string text;
  if (!s.string("database", text)) return;
  sql.database = text;
  if (text.starts_with("postgres://") || text.starts_with("postgresql://")) {
    sql.engine = SqlEngine::postgres;
    if (const std::string wrong = postgres::fault_of_address(text); !wrong.empty())
      s.error("database", fmt::format("{}; write postgres://user@host:5432/name, a password in it "
                                      "percent-encoded",
                                      wrong));
  } else if (text.starts_with("sqlite://")) {
    sql.engine = SqlEngine::sqlite;
    sql.file = text.substr(std::string_view("sqlite://").size());
    if (!sql.file.starts_with('/') || sql.file.ends_with('/'))
      s.error("database",
              "names no file; write one with its whole path, like sqlite:///var/lib/app.db");
  } else {
    // Not quoted: of what is no URL nobody knows where its password is.
    s.error("database",
            "is no database's URL; write postgres://user@host:5432/name or sqlite:///path");
  }
}

void set_type(Section& s, std::string_view key, const std::string& word, sql::Parameter& p) {
  if (const auto type = sql::type_of(word)) {
    p.type = *type;
  } else {
    s.error(key,
            fmt::format("\"{}\" is no type; write one of text, integer, number, boolean, uuid, "
                        "date, timestamp",
                        printable(word)));
  }
}

// `id: integer`, or `limit: { type: integer, default: 20 }`.
void read_parameter(Section& params, const YamlEntry& entry, SqlSettings& out) {
  sql::Parameter p;
  p.name = entry.key;
  if (!is_word(p.name)) params.error(entry.key, "is no name; write letters, digits and _");
  if (entry.value.type == YamlNode::Type::scalar) {
    std::string word;
    if (params.string(entry.key, word)) set_type(params, entry.key, word, p);
  } else {
    Section one = params.section(entry.key);
    std::string word;
    if (one.string("type", word)) set_type(one, "type", word, p);
    one.boolean("optional", p.optional);
    std::string fallback;
    if (one.string("default", fallback)) {
      if (!sql::make_canonical(p.type, fallback))
        one.wrong("default", fmt::format("is no {}", sql::name(p.type)));
      p.fallback = fallback;
    }
    if (p.fallback && p.optional) one.error("optional", "stands beside default; keep one of them");
    one.finish();
  }
  out.parameters.push_back(std::move(p));
}

void read_params(Section& s, SqlSettings& sql) {
  const auto& entries = s.entries();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [](const YamlEntry& e) { return e.key == "params"; });
  if (entry == entries.end()) return s.know("params");
  sql.parameters.clear();
  if (entry->value.type == YamlNode::Type::map) {
    Section params = s.section("params");
    for (const YamlEntry& e : params.entries()) read_parameter(params, e, sql);
    params.finish();
    return;
  }
  for (const std::string& name : s.strings("params")) {
    if (!is_word(name)) s.error("params", fmt::format("\"{}\" is no name", printable(name)));
    sql::Parameter p;
    p.name = name;
    const bool twice = std::any_of(sql.parameters.begin(), sql.parameters.end(),
                                   [&](const auto& other) { return other.name == name; });
    if (twice) s.error("params", fmt::format("names {} twice", printable(name)));
    sql.parameters.push_back(std::move(p));
  }
}

// The path's placeholders that params does not name come first, in the order of the mount.
std::vector<sql::Parameter> numbered(Section& s, const http::PathTemplate& path,
                                     std::vector<sql::Parameter> named) {
  std::vector<sql::Parameter> all;
  for (const std::string& name : path.names()) {
    const auto found =
        std::find_if(named.begin(), named.end(), [&](const auto& p) { return p.name == name; });
    if (found == named.end()) {
      sql::Parameter p;
      p.name = name;
      p.in_path = true;
      all.push_back(std::move(p));
      continue;
    }
    found->in_path = true;
    if (found->optional || found->fallback)
      s.error("params", fmt::format("{} stands in the path, which always has it; leave out its "
                                    "default or optional",
                                    name));
  }
  std::move(named.begin(), named.end(), std::back_inserter(all));
  return all;
}

void check_query(Section& s, const SqlSettings& sql) {
  std::vector<std::string> names;
  for (const sql::Parameter& p : sql.parameters) names.push_back(p.name);
  if (sql.query.empty()) {
    if (!s.has("query")) s.error("query", "is missing; write one SELECT");
  } else if (const auto fault = sql::fault_of(sql.query, names)) {
    s.error("query", *fault);
  }
}

// Rows of another database, query or form are no answers of this one, also after a restart.
std::string form_of(const SqlSettings& sql) {
  const std::size_t user = sql.database.find('@');
  const std::string_view where =
      std::string_view(sql.database).substr(user == std::string::npos ? 0 : user);
  std::string all = fmt::format("{}\n{}\n{}", where, sql.query, sql.many);
  for (const sql::Parameter& p : sql.parameters)
    all += fmt::format("\n{} {}", p.name, sql::name(p.type));
  return to_hex(Digest::of(DigestKind::sha256, all).substr(0, 4));
}

// Another database or query is another server: nothing is known of it.
std::string address_of(const std::string& name, const SqlSettings& sql) {
  const std::string all =
      fmt::format("{}\n{}\n{}\n{}\n{}", sql.database, sql.query, sql.many, sql.pool, sql.notify);
  return fmt::format("sql:{}:{:016x}", name, hash_bytes(all));
}

}  // namespace

std::string mask_database(std::string url) {
  url = mask_userinfo(url);
  for (std::size_t at = 0; (at = url.find("password=", at)) != std::string::npos;) {
    at += std::string_view("password=").size();
    url.replace(at, std::min(url.find('&', at), url.size()) - at, "***");
  }
  return url;
}

void read_sql(Section& s, OriginDraft& draft) {
  SqlSettings& sql = draft.settings.sql;
  read_database(s, sql);
  s.string("query", sql.query);
  s.choice<bool>("rows", sql.many, {{"one", false}, {"many", true}});
  read_params(s, sql);
  s.integer("pool", sql.pool, 1, 1000);
  if (s.string("notify", sql.notify) && !is_word(sql.notify))
    s.wrong("notify", "is no channel; write letters, digits and _");
}

void complete_sql(Section& s, OriginDraft& draft) {
  SqlSettings& sql = draft.settings.sql;
  shield::OriginConfig& config = draft.config;
  for (const std::string_view key : {"upstream", "auth"})
    if (s.has(key)) s.error(key, "means nothing to kind sql, which has a database; leave it out");
  if (sql.database.empty() && !s.has("database"))
    s.error("database", "is missing; write postgres://user@host:5432/name or sqlite:///path");
  if (!sql.notify.empty() && sql.engine == SqlEngine::sqlite)
    s.error("notify", "is of PostgreSQL alone; leave it out");
  std::string wrong;
  const std::string mount = sql.mount.empty() ? "/" + config.name + "/{id}" : sql.mount;
  const auto path = http::PathTemplate::parse(mount, wrong);
  if (!path) return s.wrong("mount", wrong);
  if (path->text().starts_with("/.tanggul/"))
    return s.wrong("mount", "lies below /.tanggul/, which is ours; write another path");
  sql.path = *path;
  sql.parameters = numbered(s, *path, std::move(sql.parameters));
  check_query(s, sql);
  config.mount = path->prefix();
  config.mount_template = path->text();
  config.mount_shape = path->shape();
  config.upstreams = {{address_of(config.name, sql), ""}};
  sql.inferred = std::make_shared<sql::Inferred>(sql.parameters.size());
  config.kind = sql::make_sql({*path, sql.parameters, sql.inferred, form_of(sql)});

  const auto& sets = draft.settings.sets;
  const auto otherwise = [&](std::string_view key, auto& value, auto ours) {
    if (!sets.contains(key)) value = ours;
  };
  otherwise("ttl", config.freshness.ttl, kTtl);
  otherwise("deadline", config.deadline, kDeadline);
  config.deadline_ends_fetch = kToTell;
  otherwise("retry.attempts", config.retry.attempts, 1);
  otherwise("negative.server_error", config.negative.server_error, Duration::zero());
  otherwise("negative.unreachable", config.negative.unreachable, Duration::zero());
  otherwise("limit.concurrency", config.limit.concurrency, sql.pool);
  otherwise("limit.queue_wait", config.limit.queue_wait, kQueueWait);
  otherwise("max_object", config.max_object, kMaxObject);
}

}  // namespace tanggul::app
