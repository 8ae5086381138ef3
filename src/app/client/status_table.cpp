#include "app/client/status_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <vector>

#include "app/config/units.h"
#include "app/terminal/text_table.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kWidth = 120;
constexpr std::size_t kName = 16;
constexpr std::size_t kPatternName = 24;
constexpr std::size_t kNodeName = 64;
constexpr std::size_t kTrouble = 56;  // with the words around it no wider than kWidth
constexpr std::size_t kMostPatterns = 10;
constexpr const char *kRed = "\x1b[31m", *kYellow = "\x1b[33m", *kGreen = "\x1b[32m";

const json::value& at(const json::value& object, std::string_view key) {
  static const json::value kNull;
  const auto* o = object.if_object();
  const auto* found = o == nullptr ? nullptr : o->if_contains(key);
  return found == nullptr ? kNull : *found;
}

double number(const json::value& v) { return v.is_number() ? v.to_number<double>() : 0; }

// What another program sent, fit for a terminal.
std::string word(const json::value& v, std::size_t most = kWidth) {
  if (!v.is_string() || v.get_string().empty()) return "-";
  std::string out;
  for (const char c : std::string_view(v.get_string()).substr(0, most))
    out += c >= ' ' && c < 0x7f ? c : '?';
  if (v.get_string().size() > most) out.replace(most - 3, 3, "...");
  return out;
}

std::string span(const json::value& v) {
  return v.is_number() ? write_span(from_seconds(number(v))) : "-";
}

std::string count(const json::value& v) { return v.is_number() ? write_count(number(v)) : "-"; }

// No wider than 999,999.
std::string short_count(const json::value& v) {
  return number(v) < 1e6 ? count(v) : fmt::format("{:.2f}M", number(v) / 1e6);
}

std::string latency(const json::value& v) {
  const double s = number(v);
  if (s <= 0) return "-";
  return s < 10 ? fmt::format("{:.0f}ms", s * 1000) : fmt::format("{:.0f}s", s);
}

std::string bytes(const json::value& v) {
  const double n = number(v);
  if (n >= 1e9) return fmt::format("{:.1f} GB", n / 1e9);
  return n >= 1e6 ? fmt::format("{:.1f} MB", n / 1e6) : fmt::format("{:.0f} kB", n / 1e3);
}

// How it is with one origin.
enum class Health { down, probing, paused, errors, watch, well };
constexpr Health kFromTheWorst[] = {Health::down,   Health::probing, Health::paused,
                                    Health::errors, Health::watch,   Health::well};
constexpr Duration kLately = 1min;  // an error within it is news

bool not_coalescing(const json::value& pattern) {
  return at(pattern, "not_coalescing").is_string();
}

bool has_failing_pattern(const json::value& origin) {
  const auto* patterns = at(origin, "key_patterns").if_array();
  return patterns != nullptr && std::any_of(patterns->begin(), patterns->end(), not_coalescing);
}

bool needs_a_look(const json::value& origin) {
  return number(at(origin, "paused_credentials")) > 0 || has_failing_pattern(origin);
}

Health health(const json::value& origin) {
  const std::string breaker = word(at(origin, "breaker"));
  if (breaker == "open") return Health::down;
  if (breaker == "half_open") return Health::probing;
  if (number(at(origin, "paused_seconds")) > 0) return Health::paused;
  const auto& error = at(origin, "last_error_seconds");
  if (error.is_number() && number(error) < seconds(kLately)) return Health::errors;
  return needs_a_look(origin) ? Health::watch : Health::well;
}

Cell state(Health health) {
  switch (health) {
    case Health::down:
      return {"DOWN", kRed};
    case Health::probing:
      return {"PROBING", kYellow};
    case Health::paused:
      return {"PAUSED", kYellow};
    case Health::errors:
      return {"ERRORS", kYellow};
    case Health::watch:
    case Health::well:
      break;
  }
  return {"ok", kGreen};
}

// The part of the last minute's requests that the origin did not see.
std::string spared(const json::value& minute) {
  const double asked = number(at(minute, "origin_requests"));
  const double requests = number(at(minute, "requests"));
  return requests > 0 ? fmt::format("{:.1f}%", 100 * std::max(0.0, 1 - asked / requests)) : "-";
}

Row row_of(const json::value& origin) {
  const auto& minute = at(origin, "last_minute");
  const Health how = health(origin);
  const auto& since = at(origin, "breaker_since_seconds");  // not since when it rests or errs
  const bool known = how != Health::paused && how != Health::errors && number(since) > 0;
  return {{word(at(origin, "name"), kName)},
          state(how),
          {known ? span(since) : "-"},
          {short_count(at(minute, "requests"))},
          {short_count(at(minute, "origin_requests"))},
          {spared(minute)},
          {latency(at(origin, "origin_latency_seconds"))},
          {count(at(origin, "running")) + "/" + count(at(origin, "limit"))},
          {count(at(origin, "queued"))},
          {count(at(origin, "held"))},
          {count(at(origin, "gates_waiting"))},
          {count(at(minute, "stale"))},
          {count(at(minute, "negative"))}};
}

// What is known of an origin that is not well, a line each.
std::vector<std::string> details(const json::value& origin) {
  std::vector<std::string> out;
  const Health how = health(origin);
  if (how == Health::down || how == Health::probing) {
    const auto& probe = at(origin, "next_probe_seconds");
    out.push_back(fmt::format("{} since {}{}", how == Health::down ? "down" : "being probed",
                              word(at(origin, "breaker_since")),
                              probe.is_number() ? ", next probe in " + span(probe) : ""));
  }
  if (number(at(origin, "paused_seconds")) > 0)
    out.push_back(fmt::format("asked for rest by 429 until {}, {} more",
                              word(at(origin, "paused_until")),
                              span(at(origin, "paused_seconds"))));
  if (const auto& resting = at(origin, "paused_credentials"); number(resting) > 0)
    out.push_back(
        fmt::format("asked {} of the clients' credentials for rest by 429, the last until {}",
                    count(resting), word(at(origin, "paused_credentials_until"))));
  const bool ails = how != Health::well && how != Health::watch;
  if (const std::string error = word(at(origin, "last_error")); ails && error != "-")
    out.push_back(fmt::format("last error {} ago, {}: {}", span(at(origin, "last_error_seconds")),
                              word(at(origin, "last_error_at")), error));
  return out;
}

struct Pattern {
  const json::value* json;
  std::string origin;
  double fetches, shared;
  std::size_t number;  // as configured
};

// Those that had something to do, the failing ones first, then the busiest.
std::vector<Pattern> busy_patterns(const std::vector<const json::value*>& origins) {
  std::vector<Pattern> out;
  for (const json::value* origin : origins) {
    const auto* patterns = at(*origin, "key_patterns").if_array();
    for (std::size_t i = 0; patterns != nullptr && i < patterns->size(); ++i) {
      const json::value& p = patterns->at(i);
      const auto& recent = at(p, "last_5_minutes");
      out.push_back({&p, word(at(*origin, "name"), kName), number(at(recent, "flights_started")),
                     number(at(recent, "shared")), out.size()});
    }
  }
  std::erase_if(out, [](const Pattern& p) { return p.fetches + p.shared == 0; });
  std::sort(out.begin(), out.end(), [](const Pattern& a, const Pattern& b) {
    const bool a_fails = not_coalescing(*a.json), b_fails = not_coalescing(*b.json);
    if (a_fails != b_fails) return a_fails;
    return a.fetches != b.fetches ? a.fetches > b.fetches : a.number < b.number;
  });
  return out;
}

std::string patterns_told(const std::vector<const json::value*>& origins, bool colour) {
  const std::vector<Pattern> patterns = busy_patterns(origins);
  if (patterns.empty()) return {};
  TextTable table({{"KEY PATTERN"}, {"ORIGIN"}, {"FETCHES/5M"}, {"SHARED/5M"}, {"KEYS/5M"}}, 2);
  for (std::size_t i = 0; i < std::min(patterns.size(), kMostPatterns); ++i) {
    const Pattern& p = patterns[i];
    table.add({{word(at(*p.json, "name"), kPatternName)},
               {p.origin},
               {write_count(p.fetches)},
               {write_count(p.shared)},
               {count(at(*p.json, "distinct_keys"))}});
    if (not_coalescing(*p.json))
      table.note({"coalescing does not help: " + word(at(*p.json, "not_coalescing"), 2 * kWidth),
                  kYellow});
  }
  std::string out = "\n" + table.text(kWidth, colour);
  if (patterns.size() > kMostPatterns)
    out += fmt::format("and {} key patterns with fewer fetches\n", patterns.size() - kMostPatterns);
  return out;
}

// The latest of what was built once.
std::string once_told(const json::value& status, bool colour) {
  constexpr std::size_t kMostBuilds = 5, kKey = 40, kWho = 32;
  const auto* builds = at(status, "once").if_array();
  if (builds == nullptr || builds->empty()) return {};
  TextTable table({{"BUILT ONCE"}, {"BY"}, {"AGO"}, {"SIZE"}}, 2);
  for (std::size_t i = 0; i < std::min(builds->size(), kMostBuilds); ++i) {
    const json::value& build = builds->at(i);
    const bool well = number(at(build, "status")) == 0;
    table.add({{word(at(build, "key"), kKey)},
               {word(at(build, "by"), kWho)},
               {span(at(build, "seconds"))},
               {well ? bytes(at(build, "bytes")) : "failed, " + count(at(build, "status")),
                well ? "" : kYellow}});
  }
  return "\n" + table.text(kWidth, colour);
}

std::vector<std::string> names_where(const std::vector<const json::value*>& origins,
                                     const std::function<bool(const json::value&)>& what) {
  std::vector<std::string> names;
  for (const json::value* o : origins)
    if (what(*o)) names.push_back(word(at(*o, "name"), kName));
  return names;
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kMost = 3;
  const std::size_t more = names.size() - std::min(names.size(), kMost);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

// "Down: npm. Errors: forge. 10 of 12 origins are well."
std::string headline(const std::vector<const json::value*>& origins, bool colour) {
  static constexpr std::pair<Health, const char*> kTold[] = {{Health::down, "Down"},
                                                             {Health::probing, "Being probed"},
                                                             {Health::paused, "Asked for rest"},
                                                             {Health::errors, "With errors"}};
  std::string out;
  std::size_t ailing = 0;
  const char* worst = kGreen;
  for (const auto& [which, what] : kTold) {
    const auto names =
        names_where(origins, [which](const json::value& o) { return health(o) == which; });
    if (names.empty()) continue;
    if (ailing == 0) worst = which == Health::down ? kRed : kYellow;
    ailing += names.size();
    out += fmt::format("{}: {}. ", what, listed(names));
  }
  const std::size_t well = origins.size() - ailing;
  if (origins.size() == 1 && well == 1) {
    out += "The origin is well.";
  } else if (ailing == 0) {
    out += fmt::format("All {} origins are well.", well);
  } else {
    out += fmt::format("{} of {} origins {} well.", well, origins.size(), well == 1 ? "is" : "are");
  }
  if (const auto names = names_where(origins, has_failing_pattern); !names.empty())
    out += " Coalescing does not help: " + listed(names) + ".";
  return painted(cut(out, kWidth), worst, colour) + "\n";
}

// What keeps the cache from its disk.
std::string trouble_told(const json::value& cache) {
  const json::value& trouble = at(cache, "trouble");
  return trouble.is_string() ? word(trouble) + "\n" : std::string();
}

// In none: nothing. Cut off from it this is the worst there is, and goes on top.
std::string cluster_told(const json::value& cluster, bool colour) {
  if (!cluster.is_object()) return {};
  const json::value& reachable = at(cluster, "reachable");
  if (reachable.is_bool() && !reachable.get_bool())
    return painted(
               cut(fmt::format("The cluster cannot be reached: {}; this node goes on by itself.",
                               word(at(cluster, "trouble"), kTrouble)),
                   kWidth),
               kRed, colour) +
           "\n";
  const double nodes = number(at(cluster, "nodes"));
  return fmt::format("cluster: {} {}, node {}\n", write_count(nodes), nodes == 1 ? "node" : "nodes",
                     word(at(cluster, "node"), kNodeName));
}

}  // namespace

std::string status_table(std::string_view text, bool colour) {
  boost::system::error_code ec;
  const json::value status = json::parse(json::string_view(text), ec);
  const auto* listed = ec ? nullptr : at(status, "origins").if_array();
  if (listed == nullptr) return {};
  std::vector<const json::value*> origins;  // as configured, the worst first
  for (const Health how : kFromTheWorst)
    for (const json::value& origin : *listed)
      if (health(origin) == how) origins.push_back(&origin);
  TextTable table({{"ORIGIN"},
                   {"STATE"},
                   {"SINCE"},
                   {"REQ/MIN"},
                   {"ASKED/MIN"},
                   {"SPARED"},
                   {"LATENCY"},
                   {"RUNNING"},
                   {"QUEUED"},
                   {"HELD"},
                   {"GATES"},
                   {"STALE"},
                   {"NEG"}},
                  3);
  for (const json::value* origin : origins) {
    table.add(row_of(*origin));
    for (std::string& line : details(*origin)) table.note({std::move(line)});
  }
  const auto& cache = at(status, "cache");
  const auto& draining = at(status, "draining");
  return cut(fmt::format("tanggul {}, up {}{}; cache: {} in memory, {} on disk; {} fetches running",
                         word(at(status, "version"), kName), span(at(status, "uptime_seconds")),
                         draining.is_bool() && draining.get_bool() ? ", stopping" : "",
                         bytes(at(cache, "memory_bytes")), bytes(at(cache, "disk_bytes")),
                         count(at(status, "flights"))),
             kWidth) +
         "\n" + cluster_told(at(status, "cluster"), colour) + trouble_told(cache) +
         headline(origins, colour) + "\n" + table.text(kWidth, colour) +
         patterns_told(origins, colour) + once_told(status, colour);
}

}  // namespace tanggul::app
