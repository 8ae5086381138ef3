#pragma once

#include <atomic>
#include <string>

#include "base/metrics.h"
#include "ports/handler.h"
#include "shield/gate.h"
#include "shield/shield.h"

namespace tanggul::app {

// Who may ask. Any web page can make a browser send requests to a loopback port, so the Host must
// be one of ours and a foreign Origin is refused; bound elsewhere than loopback, a token is needed.
struct AdminGuard {
  std::string host;  // the address that the port is bound to
  bool loopback = true;
  std::string token;  // empty: none
};

// The admin port: /metrics /healthz /readyz /api/status, POST /api/purge, and the gates, which need
// no token here either.
class Admin final : public ports::Handler {
 public:
  Admin(shield::Shield& shield, const MetricSet& metrics, const std::atomic<bool>& draining,
        shield::Gate& gate, const shield::Cluster* cluster, AdminGuard guard);

  bool answer_now(ports::Call& call, ports::Reply& reply) override;
  Task<void> answer(ports::Call& call, ports::Reply& reply) override;
  void finished(const ports::Call&, const ports::Reply&, ByteCount, ports::Sent) override {}

 private:
  std::string status() const;
  std::string readiness() const;
  int refusal(const http::RequestHead& head) const;  // 0: welcome
  Task<void> purge(ports::Call& call, ports::Reply& reply);

  shield::Shield& shield_;
  const MetricSet& metrics_;
  const std::atomic<bool>& draining_;
  shield::Gate& gate_;
  const shield::Cluster* const cluster_;  // null: in none
  const AdminGuard guard_;
  const MonoTime started_ = MonoClock::now();
};

}  // namespace tanggul::app
