#include "chart.h"

#include <algorithm>
#include <cstdlib>

#include "measure.h"

namespace tanggul::bench {
namespace {

constexpr std::string_view kRatio = ", ratio to the bare loop";
constexpr int kWidth = 720, kLeft = 130, kRight = 70, kBar = 20, kStep = 27, kTitle = 42,
              kFoot = 40;

// The page's own text colour is not to be had from within a picture: the reader's scheme is.
constexpr std::string_view kStyle =
    "<style>text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:600;font-size:15px}"
    ".small{font-size:11px;fill:#57606a}.bar{fill:#8c959f}.ours{fill:#0969da}.loop{fill:#57606a}"
    ".one{stroke:#24292f;stroke-dasharray:3 3}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}.bar{fill:#6e7681}"
    ".ours{fill:#4493f8}.loop{fill:#9198a1}.one{stroke:#e6edf3}}</style>\n";

std::string text_at(double x, double y, const std::string& css, const std::string& text,
                    const char* anchor = "start") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + css +
         "\" text-anchor=\"" + anchor + "\">" + text + "</text>\n";
}

double largest(const std::vector<Bars>& groups) {
  double most = 1;
  for (const Bars& group : groups)
    for (const auto& [name, value] : group.bars) most = std::max(most, value);
  return most;
}

std::string css_of(const std::string& name) {
  return name == "tanggul" ? "bar ours" : name == "bare loop" ? "bar loop" : "bar";
}

}  // namespace

std::vector<Bars> ratios_of(const Table& table) {
  std::vector<Bars> groups;
  for (const auto& row : table.rows) {
    if (row.empty() || !row[0].ends_with(kRatio)) continue;
    Bars group{.title = row[0].substr(0, row[0].size() - kRatio.size()), .bars = {}};
    for (std::size_t i = 2; i < std::min(row.size(), table.columns.size()); ++i) {
      const double value = std::strtod(row[i].c_str(), nullptr);
      if (value > 0) group.bars.emplace_back(table.columns[i], value);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

std::string to_svg(const std::vector<Bars>& groups, const std::string& caption) {
  const double scale = (kWidth - kLeft - kRight) / largest(groups);
  std::string body;
  double y = 10;
  for (const Bars& group : groups) {
    const double top = y + kTitle - 10;
    body += text_at(10, y + 20, "title", group.title + ": CPU time a request, the bare loop is 1");
    y = top;
    for (const auto& [name, value] : group.bars) {
      body += text_at(kLeft - 8, y + 15, "", name, "end") + "<rect x=\"" + number(kLeft) +
              "\" y=\"" + number(y) + "\" width=\"" + number(value * scale) + "\" height=\"" +
              number(kBar) + "\" rx=\"2\" class=\"" + css_of(name) + "\"/>\n" +
              text_at(kLeft + value * scale + 6, y + 15, "", printed("%.2f", value));
      y += kStep;
    }
    body += "<line class=\"one\" x1=\"" + number(kLeft + scale) + "\" x2=\"" +
            number(kLeft + scale) + "\" y1=\"" + number(top - 4) + "\" y2=\"" + number(y) +
            "\"/>\n";
    y += 10;
  }
  body += text_at(10, y + 18, "small", caption);
  const std::string size = number(kWidth) + " " + number(y + kFoot);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" role=\"img\">\n" +
         "<title>CPU time of a cache hit as a multiple of a bare epoll loop</title>\n" +
         std::string(kStyle) + body + "</svg>\n";
}

}  // namespace tanggul::bench
