#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "ports/source_tree.h"
#include "ports/tree_links.h"

namespace tanggul::folder {

// Owns a descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  explicit operator bool() const noexcept { return number_ >= 0; }
  int get() const noexcept { return number_; }
  int release() noexcept;

 private:
  int number_ = -1;
};

// A file that was found, without having been opened: what opening does to a pipe or a device does
// not happen.
struct Located {
  Descriptor at{};  // O_PATH
  ByteCount size = 0;
  std::optional<ports::Unread> unread{};  // there is no regular file
};

// Below `root`, where not one name on the way may be a link: what was swapped for one since it was
// looked at is not followed.
Located locate_beneath(int root, const std::string& path);
// Anywhere, links followed: for a path that the user names.
Located locate(const std::string& path);

// What the path is to resolved_in_tree().
ports::LinkAt link_beneath(int root, const std::string& path);

ports::Reading read_located(const Located& file, ByteCount limit,
                            const std::function<bool(std::string_view piece)>& sink);

}  // namespace tanggul::folder
