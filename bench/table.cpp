#include "table.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string_view>

#include "support/process.h"
#include "support/tanggul_process.h"
#include "support/temp_dir.h"

namespace tanggul::bench {
namespace {

void append_row(std::string& out, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) out += "| " + (cell.empty() ? "–" : cell) + " ";
  out += "|\n";
}

std::string first_line(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find('\n')));
}

// Some print their version on the one stream, some on the other.
std::string version_of(std::vector<std::string> args) {
  const test::CommandResult r = test::run_command({.args = std::move(args)});
  return first_line(r.out.empty() ? r.err : r.out);
}

std::string processor() {
  std::istringstream lines(test::read_file("/proc/cpuinfo"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

// A machine that is busy with something else gives other numbers; the report admits it.
std::string load_average() {
  double minutes[1] = {};
  ::getloadavg(minutes, 1);
  char text[16];
  std::snprintf(text, sizeof text, "%.1f", minutes[0]);
  return text;
}

std::string peers_versions() {
  return version_of({"nginx", "-v"}) + "; " + version_of({"haproxy", "-v"}) + "; " +
         version_of({"varnishd", "-V"}) + "; " + version_of({"squid", "-v"}) + "; " +
         version_of({"traffic_server", "-V"});
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace

std::string to_markdown(const Table& table) {
  std::string out = "## " + table.title + "\n\n" + table.note + "\n\n";
  append_row(out, table.columns);
  for (std::size_t i = 0; i < table.columns.size(); ++i) out += i == 0 ? "|---|" : "---|";
  out += "\n";
  for (const auto& row : table.rows) append_row(out, row);
  return out;
}

namespace {

constexpr char kCell = '\t';

std::string line_of(char kind, const std::vector<std::string>& cells) {
  std::string out(1, kind);
  for (const std::string& cell : cells) out.append(1, kCell).append(cell);
  return out + "\n";
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  while (!line.empty()) {
    line.remove_prefix(1);  // the tab before it
    const std::string_view cell = line.substr(0, line.find(kCell));
    cells.emplace_back(cell);
    line.remove_prefix(cell.size());
  }
  return cells;
}

}  // namespace

std::string to_lines(const std::vector<Table>& tables) {
  std::string out;
  for (const Table& t : tables) {
    out += line_of('T', {t.title, t.note}) + line_of('C', t.columns);
    for (const auto& row : t.rows) out += line_of('R', row);
  }
  return out;
}

std::vector<Table> from_lines(std::string_view text) {
  std::vector<Table> tables;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) continue;
    std::vector<std::string> cells = cells_of(line.substr(1));
    if (line[0] == 'T' && cells.size() == 2) {
      tables.push_back({.title = cells[0], .note = cells[1], .columns = {}, .rows = {}});
    } else if (line[0] == 'C' && !tables.empty()) {
      tables.back().columns = std::move(cells);
    } else if (line[0] == 'R' && !tables.empty()) {
      tables.back().rows.push_back(std::move(cells));
    }
  }
  return tables;
}

std::vector<Table> merged(const std::vector<Table>& tables) {
  std::vector<Table> out;
  for (const Table& t : tables) {
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const Table& o) { return o.title == t.title; });
    if (same == out.end()) {
      out.push_back(t);
    } else {
      same->rows.insert(same->rows.end(), t.rows.begin(), t.rows.end());
    }
  }
  return out;
}

std::string one_line_about_machine() {
  utsname kernel{};
  ::uname(&kernel);
  return processor() + ", " + std::to_string(::sysconf(_SC_NPROCESSORS_CONF)) + " cores, " +
         kernel.sysname + " " + kernel.release + ", " + today();
}

std::string describe_machine() {
  return "- machine and date: " + one_line_about_machine() + "; load average " + load_average() +
         " when this was written\n- " + version_of({test::tanggul_binary(), "--version"}) +
         "\n- peers: " + peers_versions() + "\n- load: " + version_of({"wrk", "--version"}) + "; " +
         version_of({"h2load", "--version"}) + "\n";
}

}  // namespace tanggul::bench
