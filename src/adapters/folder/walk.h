#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "ports/source_tree.h"

namespace tanggul::folder {

struct WalkBounds {
  std::size_t names = 200'000;  // looked at
  std::size_t depth = 64;       // folders within each other; each costs an open descriptor
};

struct Found {
  enum class Kind { regular, link, other };
  std::string path;
  Kind kind;
  ByteCount size = 0;  // of a regular file
};

struct Walk {
  std::vector<Found> found;               // what was wanted, in the order of the file system
  std::vector<ports::UnreadFile> unread;  // folders that cannot be looked into
  bool more = false;                      // a bound was hit
};

// Looks at every name below `root` but what belongs to git. Links are found, never followed.
Walk walk(int root, const WalkBounds& bounds,
          const std::function<bool(std::string_view path)>& wanted);

}  // namespace tanggul::folder
