#include "app/config/sync_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/config/url.h"
#include "base/bytes.h"

namespace tanggul::app {
namespace {

constexpr std::string_view kSqlite = "sqlite:", kNobody = "none";

bool valid_pool_name(std::string_view name) {
  return !name.empty() && name != kNobody && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// sqlite:, sqlite:///path; other engines by their schemes, of which `others` are had.
void read_store(Section& section, std::string_view key, bool postgres, Store& out) {
  Store read;
  if (!section.string(key, read.text)) return;
  const std::string_view text = read.text;
  const std::string_view scheme = text.substr(0, text.find(':'));
  if (text.starts_with(kSqlite)) {
    const std::string_view rest = text.substr(kSqlite.size());
    if (!rest.empty() && !rest.starts_with("///"))
      return section.wrong(key, "is no file; write sqlite: or sqlite:///path/to/file");
    if (rest == "///") return section.wrong(key, "names no file; write sqlite:///path/to/file");
    if (!rest.empty()) read.file = rest.substr(2);
  } else if (postgres && (scheme == "postgres" || scheme == "postgresql")) {
    read.engine = Store::Engine::postgres;
  } else if (!postgres && (scheme == "amqp" || scheme == "amqps" || scheme == "kafka")) {
    return section.error(key,
                         fmt::format("this version has no queue on {}; write sqlite:", scheme));
  } else {
    return section.wrong(key, postgres ? "is no catalog; write sqlite: or postgres://HOST/DATABASE"
                                       : "is no queue; write sqlite: or sqlite:///path/to/file");
  }
  out = std::move(read);
}

void read_internal_hosts(Section& section, SyncSettings& out) {
  for (const std::string& host : section.strings("internal_hosts")) {
    const std::string lower = to_lower(host);
    const bool plain = !lower.empty() && lower.find_first_of("/@?#* ") == std::string::npos;
    if (!plain) {
      section.error(
          "internal_hosts",
          fmt::format("\"{}\" is no host; write one like git.example.org or 10.0.0.7:8443",
                      mask_userinfo(host)));
      continue;
    }
    out.internal_hosts.push_back(lower);
  }
}

void read_pool(Section pool, sync::Pool& out) {
  pool.integer("workers", out.workers, 0, 256);
  pool.size("memory", out.memory, 64_MiB);
  pool.size("text_limit", out.text_limit, 64_KiB);
  pool.size("clone_limit", out.clone_limit, 1_MiB);
  pool.duration("timeout", out.timeout, 1s);
  if (pool.string("hands_on_to", out.hands_on_to) && out.hands_on_to == kNobody)
    out.hands_on_to.clear();
  pool.finish();
}

sync::Pool& pool_of(SyncSettings& out, const std::string& name) {
  for (sync::Pool& pool : out.pools)
    if (pool.name == name) return pool;
  out.pools.push_back({.name = name});
  return out.pools.back();
}

// Handing on must come to an end.
void check_hand_on(Section& pools, const SyncSettings& settings) {
  for (const sync::Pool& pool : settings.pools) {
    if (pool.hands_on_to.empty()) continue;
    const sync::Pool* const next = settings.find(pool.hands_on_to);
    if (next == nullptr)
      pools.error(pool.name, fmt::format("hands_on_to: there is no pool {}", pool.hands_on_to));
    else if (next == &pool || !next->hands_on_to.empty())
      pools.error(pool.name, fmt::format("hands_on_to: {} hands on itself; a job is handed on once",
                                         pool.hands_on_to));
  }
}

void refuse_lacking(Section& section) {
  for (const std::string_view key : {"forges", "arxiv"}) {
    if (!section.has(key)) continue;
    section.know(key);
    section.error(key, "this version asks no API of forges or papers; leave the key out");
  }
}

}  // namespace

const sync::Pool* SyncSettings::find(std::string_view pool) const {
  const auto found = std::find_if(pools.begin(), pools.end(),
                                  [pool](const sync::Pool& p) { return p.name == pool; });
  return found == pools.end() ? nullptr : &*found;
}

void read_sync(Section& top, SyncSettings& out) {
  Section section = top.section("sync");
  if (section.string("listen", out.listen)) {
    const Read<HostPort> read = read_host_port(out.listen);
    if (!read.value) section.wrong("listen", read.wrong);
  }
  read_store(section, "queue", false, out.queue);
  read_store(section, "catalog", true, out.catalog);
  read_internal_hosts(section, out);
  section.duration("lease", out.lease, 3s);
  section.integer("attempts", out.attempts, 1, 100);
  Section pools = section.section("pools");
  for (const YamlEntry& entry : pools.entries()) {
    if (!valid_pool_name(entry.key)) {
      pools.error(entry.key, "is no name; write 1 to 64 of a-z, 0-9 and _");
      continue;
    }
    read_pool(pools.section(entry.key), pool_of(out, entry.key));
  }
  check_hand_on(pools, out);
  refuse_lacking(section);
  section.finish();
}

}  // namespace tanggul::app
