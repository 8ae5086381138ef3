#include "table.h"

#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string_view>
#include <thread>

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

std::string describe_machine() {
  utsname kernel{};
  ::uname(&kernel);
  return "- machine: " + processor() + ", " + std::to_string(std::thread::hardware_concurrency()) +
         " cores, " + kernel.sysname + " " + kernel.release + ", load average " + load_average() +
         " before the start\n- date: " + today() + "\n- " +
         version_of({test::tanggul_binary(), "--version"}) + "\n- " + version_of({"nginx", "-v"}) +
         "\n- load: " + version_of({"wrk", "--version"}) + "\n";
}

}  // namespace tanggul::bench
