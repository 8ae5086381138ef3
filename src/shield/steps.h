#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
// Costs nothing until the first note: hits have none.
class Trace {
 public:
  void note(Step step, std::string_view decision) { notes_.emplace_back(step, decision); }
  void append_to(std::string& out) const;

 private:
  std::vector<std::pair<Step, std::string>> notes_;
};

inline void Trace::append_to(std::string& out) const {
  for (std::size_t i = 0; i < kStepNames.size(); ++i) {
    bool first = true;
    for (const auto& [step, decision] : notes_) {
      if (static_cast<std::size_t>(step) != i) continue;
      if (first && !out.empty()) out += ' ';
      if (first) out.append(kStepNames[i]);
      out.append(first ? "=" : ",").append(decision);
      first = false;
    }
  }
}

}  // namespace tanggul::shield
