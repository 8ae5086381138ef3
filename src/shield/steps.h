#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tanggul::shield {

// The walk of a request, top to bottom. The enum, the log keys and the trace come from this list,
// and a test holds docs/life_of_a_request.md against it.
// clang-format off
#define TANGGUL_STEPS(STEP) \
  STEP(route) \
  STEP(key) \
  STEP(lookup) \
  STEP(serve) \
  STEP(flight) \
  STEP(lease) \
  STEP(breaker) \
  STEP(limit) \
  STEP(origin) \
  STEP(verify) \
  STEP(store) \
  STEP(deliver)
// clang-format on

enum class Step {
#define TANGGUL_STEP_ENUM(name) name,
  TANGGUL_STEPS(TANGGUL_STEP_ENUM)
#undef TANGGUL_STEP_ENUM
};

inline constexpr std::array kStepNames = {
#define TANGGUL_STEP_NAME(name) std::string_view(#name),
    TANGGUL_STEPS(TANGGUL_STEP_NAME)
#undef TANGGUL_STEP_NAME
};

constexpr std::string_view name(Step s) { return kStepNames[static_cast<std::size_t>(s)]; }

// What each step decided, as one line: "lookup=stale flight=leader origin=503,200 store=memory".
class Trace {
 public:
  void note(Step step, std::string_view decision) {
    std::string& at = decisions_[static_cast<std::size_t>(step)];
    if (!at.empty()) at += ',';
    at += decision;
  }
  void append_to(std::string& out) const;

 private:
  std::array<std::string, kStepNames.size()> decisions_;
};

inline void Trace::append_to(std::string& out) const {
  for (std::size_t i = 0; i < decisions_.size(); ++i) {
    if (decisions_[i].empty()) continue;
    if (!out.empty()) out += ' ';
    out.append(kStepNames[i]).append("=").append(decisions_[i]);
  }
}

}  // namespace tanggul::shield
