#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tanggul::cache {

// The first 128 bits of a SHA-256: of an entry's key, or of a body. It names a file; whoever opens
// one compares the whole key, or the whole digest, with what is in it.
struct ObjectId {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const ObjectId&) const = default;
};

enum class ObjectKind : std::uint8_t { entry, body };

// Where the files of the tier lie:
//
//   entries/3f/3f0c…  an entry: its head (entry_format.h), then the bodies that lie with it
//   bodies/a1/a1b2…   a body of its own, by what is in it (body_format.h)
//   new/              on its way in, under names of this process's own; swept at every start
class Layout {
 public:
  explicit Layout(std::string root) : root_(std::move(root)) {}

  // Makes what is missing. False: errno tells why.
  bool make() const;
  bool make_folder_of(ObjectKind kind, ObjectId id) const;

  const std::string& root() const noexcept { return root_; }
  std::string path(ObjectKind kind, ObjectId id) const;
  std::string folder(ObjectKind kind) const;
  std::string arrivals() const { return root_ + "/new"; }

 private:
  const std::string root_;
};

ObjectId id_of_key(std::string_view key);
ObjectId id_of_digest(std::string_view sha256) noexcept;             // 32 raw bytes
std::optional<ObjectId> parse_name(std::string_view name) noexcept;  // of a file; else nullopt

}  // namespace tanggul::cache
