#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/process.h"
#include "support/temp_dir.h"

namespace tanggul::test {

// The rules with their minutes as seconds and their hours as minutes: each `for`, each window, each
// offset. Throws where one of them is written in another way, or there is none.
std::string shortened_rules(const std::string& rules);

bool prometheus_is_here();

// A real Prometheus on a free port of 127.0.0.1 that scrapes one address and evaluates these rules,
// four times a second each. Throws when it does not come to it.
class PrometheusServer {
 public:
  PrometheusServer(const std::string& rules, std::uint16_t scraped_port);

  struct Alert {
    std::string name, origin, key_pattern, severity, state;  // pending or firing
  };
  std::vector<Alert> alerts() const;
  // pending, firing, or empty where it is neither; the most serious of several.
  std::string state(std::string_view alert) const;
  // How often it has looked at all of its rules.
  std::size_t evaluations() const;

 private:
  TempDir dir_;
  std::uint16_t port_;
  std::unique_ptr<Process> process_;
};

}  // namespace tanggul::test
