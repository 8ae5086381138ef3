#include "sync/work/job_end.h"

#include <algorithm>
#include <array>

namespace tanggul::sync {
namespace {

constexpr std::array<std::string_view, kJobEnds> kNames{
    "changed",  "unchanged", "empty",   "gone",    "transient", "busy",
    "oversize", "oom",       "timeout", "crashed", "drained",   "lost"};

}  // namespace

std::string_view name(JobEnd end) noexcept { return kNames[static_cast<std::size_t>(end)]; }

std::optional<JobEnd> job_end_of(std::string_view name) noexcept {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<JobEnd>(found - kNames.begin());
}

}  // namespace tanggul::sync
