#include "shield/once_builds.h"

namespace tanggul::shield {

void OnceBuilds::add(Build build) {
  const Lock lock(mutex_);
  builds_.push_front(std::move(build));
  if (builds_.size() > kMost) builds_.pop_back();
}

std::vector<OnceBuilds::Build> OnceBuilds::latest() const {
  const Lock lock(mutex_);
  return {builds_.begin(), builds_.end()};
}

}  // namespace tanggul::shield
