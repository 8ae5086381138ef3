#pragma once

#include <optional>
#include <utility>

#include "ports/shared_limits.h"
#include "shield/cluster.h"
#include "shield/config.h"
#include "shield/outside.h"

namespace tanggul::shield {

// Which of an origin's rules are the cluster's.
ports::SharedRules shared_rules(const OriginConfig& config);
inline bool any(const ports::SharedRules& rules) {
  return rules.breaker || rules.concurrency > 0 || rules.rate > 0 || rules.daily > 0;
}

// One attempt as the cluster counts it: its end is told however it ends. One thread's.
class SharedPlace {
 public:
  SharedPlace(const Outside& outside, ports::AttemptEnd end)
      : outside_(outside), end_(std::move(end)) {}
  ~SharedPlace() {
    if (!told_) tell();
  }
  SharedPlace(const SharedPlace&) = delete;
  SharedPlace& operator=(const SharedPlace&) = delete;

  // `pause`: the origin asked for it, of everybody or of one credential.
  void end(ports::AttemptSample sample, Duration pause, std::string credential) {
    end_.sample = sample;
    end_.pause = pause;
    end_.credential = std::move(credential);
    tell();
  }

 private:
  void tell() {
    told_ = true;
    if (!outside_.cluster->ended()) outside_.limits->finish(end_);
  }

  const Outside outside_;
  ports::AttemptEnd end_;
  bool told_ = false;
};

}  // namespace tanggul::shield
