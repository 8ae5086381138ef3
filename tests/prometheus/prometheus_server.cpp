#include "prometheus/prometheus_server.h"

#include <boost/json.hpp>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <thread>

#include "support/http_client.h"
#include "support/raw_exchange.h"

namespace tanggul::test {
namespace {

std::ptrdiff_t matches(const std::string& text, const std::regex& what) {
  return std::distance(std::sregex_iterator(text.begin(), text.end(), what), {});
}

std::string configuration(std::uint16_t scraped_port) {
  return "global: { scrape_interval: 250ms, scrape_timeout: 250ms, evaluation_interval: 250ms }\n"
         "rule_files: [rules.yml]\n"
         "scrape_configs:\n"
         "  - job_name: tanggul\n"
         "    static_configs: [{ targets: ['127.0.0.1:" +
         std::to_string(scraped_port) + "'] }]\n";
}

std::string label(const boost::json::value& alert, std::string_view name) {
  const boost::json::object& labels = alert.at("labels").as_object();
  const auto* value = labels.if_contains(name);
  return value ? std::string(value->as_string()) : "";
}

}  // namespace

std::string shortened_rules(const std::string& rules) {
  static const std::regex kAny(R"(\n *for:|\[|\boffset\b)");
  static const std::regex kWhole(R"re((\n *for: |\[|\boffset )([0-9]+)([mh])(?=[\]\s)]))re");
  const std::ptrdiff_t windows = matches(rules, kWhole);
  if (windows == 0 || windows != matches(rules, kAny))
    throw std::runtime_error("the rules have a window that is no plain number of minutes or hours");
  std::string out;
  auto rest = rules.begin();
  for (std::sregex_iterator m(rules.begin(), rules.end(), kWhole), end; m != end; ++m) {
    out.append(rest, (*m)[0].first);
    out += (*m)[1].str() + (*m)[2].str() + ((*m)[3] == "m" ? "s" : "m");
    rest = (*m)[0].second;
  }
  return out.append(rest, rules.end());
}

bool prometheus_is_here() {
  return run_command({.args = {"sh", "-c", "command -v prometheus"}}).status == 0;
}

PrometheusServer::PrometheusServer(const std::string& rules, std::uint16_t scraped_port)
    : port_(free_port()) {
  dir_.write("rules.yml", rules);
  const std::string config = dir_.write("prometheus.yml", configuration(scraped_port));
  process_ = std::make_unique<Process>(
      ProcessSpec{.args = {"prometheus", "--config.file=" + config, "--log.level=warn",
                           "--storage.tsdb.path=" + dir_.file("data"),
                           "--web.listen-address=127.0.0.1:" + std::to_string(port_)}});
  // It looks for what to scrape some seconds after it is ready.
  const auto scrapes = [&] {
    return connectable(port_) &&
           get(port_, "/api/v1/query?query=up").body.find(R"(,"1"])") != std::string::npos;
  };
  if (process_->poll_until(30s, scrapes)) return;
  throw std::runtime_error("prometheus does not scrape:\n" + process_->err());
}

std::size_t PrometheusServer::evaluations() const {
  constexpr std::string_view kCounter = "\nprometheus_rule_group_iterations_total{";
  const std::string text = get(port_, "/metrics").body;
  std::size_t least = 0;
  bool found = false;
  for (auto at = text.find(kCounter); at != std::string::npos; at = text.find(kCounter, at + 1)) {
    const std::size_t n = std::stoul(text.substr(text.find("} ", at) + 2));
    least = found ? std::min(least, n) : n;
    found = true;
  }
  return least;
}

std::vector<PrometheusServer::Alert> PrometheusServer::alerts() const {
  const ClientResult answer = get(port_, "/api/v1/alerts");
  if (answer.status != 200) throw std::runtime_error("prometheus: " + answer.error + answer.body);
  std::vector<Alert> out;
  const boost::json::value told = boost::json::parse(answer.body);
  for (const auto& a : told.at("data").at("alerts").as_array())
    out.push_back({label(a, "alertname"), label(a, "origin"), label(a, "key_pattern"),
                   label(a, "severity"), std::string(a.at("state").as_string())});
  return out;
}

std::string PrometheusServer::state(std::string_view alert) const {
  std::string most;
  for (const Alert& a : alerts())
    if (a.name == alert && most != "firing") most = a.state;
  return most;
}

}  // namespace tanggul::test
