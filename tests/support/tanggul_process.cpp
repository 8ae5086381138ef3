#include "support/tanggul_process.h"

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <thread>

#include "support/raw_exchange.h"

namespace tanggul::test {
namespace {

struct SeriesName {
  std::string_view family;
  std::vector<std::string_view> labels;  // name="value"
};

// Commas and braces within a label's quotes are part of it.
SeriesName parse_series(std::string_view text) {
  const std::size_t brace = text.find('{');
  SeriesName out{text.substr(0, brace), {}};
  if (brace == text.npos) return out;
  bool quoted = false;
  std::size_t from = brace + 1;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '\\' && quoted) {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[i] == ',' || text[i] == '}')) {
      if (i > from) out.labels.push_back(text.substr(from, i - from));
      from = i + 1;
    }
  }
  return out;
}

bool covers(const SeriesName& wanted, const SeriesName& series) {
  return wanted.family == series.family &&
         std::all_of(wanted.labels.begin(), wanted.labels.end(), [&](std::string_view label) {
           return std::find(series.labels.begin(), series.labels.end(), label) !=
                  series.labels.end();
         });
}

}  // namespace

std::string tanggul_binary() {
  const char* chosen = std::getenv("TANGGUL_BINARY");
  return chosen && *chosen ? chosen : TANGGUL_BINARY_PATH;
}

TanggulProcess::TanggulProcess(std::string_view yaml, ProcessSpec more, Launcher launcher)
    : TanggulProcess(yaml, std::move(more), std::move(launcher), Place()) {}

TanggulProcess::TanggulProcess(std::string_view yaml, ProcessSpec more, Launcher launcher,
                               Place place)
    : more_(std::move(more)),
      launcher_(std::move(launcher)),
      place_(std::move(place)),
      port_(place_.port != 0 ? place_.port : free_port()),
      admin_port_(free_port()) {
  while (admin_port_ == port_) admin_port_ = free_port();
  dir_.write("tanggul.yaml", yaml);
  start();
}

void TanggulProcess::start() {
  ProcessSpec spec = more_;
  const std::vector<std::string> args = {
      tanggul_binary(), "serve",
      "--config",       dir_.file("tanggul.yaml"),
      "--listen",       place_.address + ":" + std::to_string(port_),
      "--admin",        "127.0.0.1:" + std::to_string(admin_port_),
      "--data",         data_dir()};
  spec.args.insert(spec.args.begin(), args.begin(), args.end());
  if (launcher_) {
    const std::vector<std::string> before = launcher_(data_dir());
    spec.args.insert(spec.args.begin(), before.begin(), before.end());
  }
  const Network::Visit there = visit();
  process_ = std::make_unique<Process>(std::move(spec));
  const auto ready = [&] {
    return connectable(admin_port_) && test::get(admin_port_, "/readyz").status == 200;
  };
  if (process_->poll_until(std::chrono::seconds(30), ready)) return;
  throw std::runtime_error("tanggul did not become ready:\n" + process_->out() + process_->err());
}

std::optional<int> TanggulProcess::stop(Duration at_most) {
  process_->signal(SIGTERM);
  return process_->wait(at_most);
}

void TanggulProcess::kill9() {
  process_->signal(SIGKILL);
  process_->wait(std::chrono::seconds(30));
}

Network::Visit TanggulProcess::visit() const {
  return place_.network ? place_.network->at(place_.host) : Network::Visit();
}

std::string TanggulProcess::metrics() const {
  const Network::Visit there = visit();
  return test::get(admin_port_, "/metrics").body;
}

double TanggulProcess::metric(std::string_view series) const {
  return sum_of_series(metrics(), series);
}

double sum_of_series(std::string_view exposition, std::string_view series) {
  const SeriesName wanted = parse_series(series);
  double sum = 0;
  bool found = false;
  while (!exposition.empty()) {
    const std::size_t eol = std::min(exposition.find('\n'), exposition.size());
    const std::string_view line = exposition.substr(0, eol);
    exposition.remove_prefix(std::min(eol + 1, exposition.size()));
    const std::size_t brace = line.rfind('}');
    const std::size_t space = line.find(' ', brace == line.npos ? 0 : brace);
    if (line.starts_with('#') || space == line.npos) continue;
    if (!covers(wanted, parse_series(line.substr(0, space)))) continue;
    sum += std::strtod(std::string(line.substr(space + 1)).c_str(), nullptr);
    found = true;
  }
  return found ? sum : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tanggul::test
