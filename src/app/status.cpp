#include "app/status.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <ostream>

#include "app/http_exchange.h"
#include "base/clock.h"

namespace tanggul::app {
namespace {

namespace json = boost::json;
constexpr Duration kPatience = 5s;

const json::value& at(const json::value& object, std::string_view key) {
  static const json::value kNull;
  const auto* o = object.if_object();
  const auto* found = o == nullptr ? nullptr : o->if_contains(key);
  return found == nullptr ? kNull : *found;
}

double number(const json::value& v) { return v.is_number() ? v.to_number<double>() : 0; }

// What another program sent, fit for a terminal.
std::string word(const json::value& v) {
  if (!v.is_string()) return "-";
  std::string out;
  for (const char c : std::string_view(v.get_string()).substr(0, 120)) {
    out += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  }
  return out.empty() ? "-" : out;
}

std::string span(const json::value& v) {
  if (!v.is_number()) return "-";
  const auto s = static_cast<long long>(number(v));
  if (s < 120) return fmt::format("{}s", s);
  if (s < 7200) return fmt::format("{}m", s / 60);
  return s < 172'800 ? fmt::format("{}h", s / 3600) : fmt::format("{}d", s / 86'400);
}

std::string bytes(const json::value& v) {
  const double n = number(v);
  if (n >= 1e9) return fmt::format("{:.1f} GB", n / 1e9);
  return n >= 1e6 ? fmt::format("{:.1f} MB", n / 1e6) : fmt::format("{:.0f} kB", n / 1e3);
}

double sum(const json::value& object) {
  double total = 0;
  if (const auto* o = object.if_object()) {
    for (const auto& entry : *o) total += number(entry.value());
  }
  return total;
}

std::string hit_share(const json::value& requests) {
  const double served = number(at(requests, "hit")) + number(at(requests, "stale")) +
                        number(at(requests, "negative")) + number(at(requests, "coalesced"));
  const double all = sum(requests);
  return all > 0 ? fmt::format("{:.1f}%", 100 * served / all) : "-";
}

struct Cell {
  std::string text;
  const char* colour = "";  // an escape sequence
};
using Row = std::vector<Cell>;

Cell breaker(const json::value& origin) {
  const std::string state = word(at(origin, "breaker"));
  if (state == "closed") return {state, "\x1b[32m"};
  const auto& probe = at(origin, "next_probe_seconds");
  std::string text = state + " " + span(at(origin, "breaker_since_seconds"));
  if (probe.is_number()) text += ", probe in " + span(probe);
  return {text, state == "open" ? "\x1b[31m" : "\x1b[33m"};
}

Row row_of(const json::value& origin) {
  const auto& requests = at(origin, "requests");
  const auto count = [](const json::value& v) { return fmt::format("{:.0f}", number(v)); };
  return {{word(at(origin, "name"))},
          {word(at(origin, "mount"))},
          {word(at(origin, "kind"))},
          breaker(origin),
          {fmt::format("{:.0f}", sum(requests))},
          {hit_share(requests)},
          {count(at(origin, "shared"))},
          {fmt::format("{:.0f}", sum(at(origin, "origin_requests")))},
          {count(at(origin, "flights"))},
          {count(at(origin, "running")) + "+" + count(at(origin, "queued"))},
          {number(at(origin, "paused_seconds")) > 0 ? span(at(origin, "paused_seconds")) : "-"},
          {word(at(origin, "last_error"))}};
}

std::string laid_out(const std::vector<Row>& rows, bool colour) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].text.size());
    }
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool coloured = colour && *row[i].colour != '\0';
      if (i > 0) line += "  ";
      line += coloured ? row[i].colour : "";
      line += i + 1 < row.size() ? fmt::format("{:{}}", row[i].text, widths[i]) : row[i].text;
      line += coloured ? "\x1b[0m" : "";
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::string status_table(std::string_view text, bool colour) {
  boost::system::error_code ec;
  const json::value status = json::parse(text, ec);
  const auto* origins = ec ? nullptr : at(status, "origins").if_array();
  if (origins == nullptr) return {};
  std::vector<Row> rows = {{{"ORIGIN"},
                            {"MOUNT"},
                            {"KIND"},
                            {"BREAKER"},
                            {"REQUESTS"},
                            {"SPARED"},
                            {"SHARED"},
                            {"ASKED"},
                            {"FLIGHTS"},
                            {"RUN+QUEUE"},
                            {"PAUSED"},
                            {"LAST ERROR"}}};
  for (const json::value& origin : *origins) rows.push_back(row_of(origin));
  const auto& cache = at(status, "cache");
  return fmt::format("tanggul {}, up {}; cache: {} in memory, {} on disk\n\n",
                     word(at(status, "version")), span(at(status, "uptime_seconds")),
                     bytes(at(cache, "memory_bytes")), bytes(at(cache, "disk_bytes"))) +
         laid_out(rows, colour);
}

int show_status(const AdminAddress& admin, bool as_json, const Console& console) {
  const auto url = admin_url(admin, false, console);
  if (!url) return kWrongUsage;
  const HttpAnswer answer =
      http_exchange(*url, {.target = "/api/status", .token = admin.token}, kPatience);
  if (answer.status == 0) {
    console.err << fmt::format("No shield answers at {}: {}.\n", url->text(), answer.error);
    return kFailed;
  }
  const std::string table = status_table(answer.body, console.colour);
  if (answer.status != 200 || table.empty()) {
    console.err << fmt::format("{} answers {}, which is no status of a shield.\n", url->text(),
                               answer.status);
    return kFailed;
  }
  console.out << (as_json ? answer.body : table);
  if (as_json && !answer.body.ends_with('\n')) console.out << '\n';
  return kDone;
}

}  // namespace tanggul::app
