#pragma once

#include <atomic>
#include <vector>

#include "cache/disk/index.h"

namespace tanggul::cache {

// Everything that lies in the tier's folders, by their listing alone: no file is opened. What an
// earlier process left in new/ is swept, and so are empty files, which a power cut leaves. Other
// names than ours are let be. Stops early when `stop` is set.
std::vector<Index::Found> scan(const Layout& layout, const std::atomic<bool>& stop);

}  // namespace tanggul::cache
