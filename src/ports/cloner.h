#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/failure.h"
#include "ports/source_tree.h"
#include "tanggul/base/clock.h"

namespace tanggul::ports {

// A remote repository whose place has been looked at (see Web): git goes to that address and
// follows no redirect.
struct Remote {
  std::string url;
  std::string address;
};

struct CloneLimits {
  ByteCount blob = 2_MiB;    // larger ones are left out, where the server can
  ByteCount disk = 200_MiB;  // of all that is written
  ByteCount memory = 512_MiB;
  MonoTime until = kForever;
};

struct Clone {
  std::unique_ptr<SourceTree> tree;
  std::optional<std::string> commit;  // of HEAD; nullopt: it is empty
};

// Repositories of strangers: only their objects are had, never a working tree, and nothing of them
// is run. Calls block. One thread at a time.
// Fails with refused, reset (cannot be reached, or broke off), stalled (below 1 KB/s for 30 s, or
// no word), deadline (until is over), too_large (disk, or memory), bad_response (the server speaks
// no git, or what it sent is damaged) or io.
class Cloner {
 public:
  virtual ~Cloner() = default;
  // The commit that HEAD names there; nullopt: none, it is empty.
  virtual Expected<std::optional<std::string>> head(const Remote& remote,
                                                    const CloneLimits& limits) = 0;
  // Into `folder`, which is made, and is the caller's to remove, whatever comes back.
  virtual Expected<Clone> clone(const Remote& remote, const std::string& folder,
                                const CloneLimits& limits) = 0;
};

}  // namespace tanggul::ports
