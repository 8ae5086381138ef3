#pragma once

#include <atomic>
#include <string>

#include "base/metrics.h"
#include "ports/handler.h"
#include "shield/shield.h"

namespace tanggul::app {

// The admin port: /metrics /healthz /readyz /api/status. Reads only.
class Admin final : public ports::Handler {
 public:
  Admin(const shield::Shield& shield, const MetricSet& metrics, const std::atomic<bool>& draining);

  bool answer_now(ports::Call& call, ports::Reply& reply) override;
  Task<void> answer(ports::Call& call, ports::Reply& reply) override;
  void finished(const ports::Call&, const ports::Reply&, ByteCount, ports::Sent) override {}

 private:
  std::string status() const;

  const shield::Shield& shield_;
  const MetricSet& metrics_;
  const std::atomic<bool>& draining_;
  const MonoTime started_ = MonoClock::now();
};

}  // namespace tanggul::app
