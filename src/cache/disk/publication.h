#pragma once

#include <cstdint>
#include <string>

#include "cache/disk/layout.h"
#include "cache/file.h"

namespace tanggul::cache {

// Gives a file without a name its own, whole and at once: whoever looks finds what was there
// before, or all of it. `sync`: its bytes are on the disk before its name is, so that a power cut
// leaves no name without them. False: errno tells why. One thread.
class Publication {
 public:
  Publication(const Layout& layout, bool sync) : layout_(layout), sync_(sync) {}

  bool publish(const File& file, ObjectKind kind, ObjectId id);  // in the place of what is there

 private:
  bool link(const File& file, const std::string& path);

  const Layout& layout_;
  const bool sync_;
  std::uint64_t arrived_ = 0;
};

}  // namespace tanggul::cache
