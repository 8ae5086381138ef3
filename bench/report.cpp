#include "report.h"

#include <filesystem>
#include <fstream>

#include "chart.h"
#include "support/temp_dir.h"
#include "table.h"

namespace tanggul::bench {

Results::Results(std::string folder) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
}

void Results::keep(const std::string& part, const std::vector<Table>& tables) const {
  std::ofstream(folder_ + "/" + part) << to_lines(tables);
}

std::vector<Table> Results::of(const std::vector<std::string>& parts) const {
  std::vector<Table> all;
  for (const std::string& part : parts)
    for (Table& t : from_lines(test::read_file(folder_ + "/" + part))) all.push_back(std::move(t));
  return merged(all);
}

std::string to_report(const std::vector<Table>& tables, const std::string& picture) {
  std::string out =
      "# Benchmarks\n\nWritten by `tanggul_bench` (`./dev bench`); bench/README.md says how to "
      "read "
      "it. Server on one CPU, load generator and origin on the other, all on loopback.\n\n" +
      describe_machine();
  if (!picture.empty()) out += "\n![CPU time of a hit beside a bare epoll loop](" + picture + ")\n";
  for (const Table& t : tables) out += "\n" + to_markdown(t);
  return out;
}

std::string to_picture(const std::vector<Table>& tables) {
  for (const Table& t : tables)
    if (const auto groups = ratios_of(t); !groups.empty())
      return to_svg(groups, one_line_about_machine());
  return {};
}

}  // namespace tanggul::bench
