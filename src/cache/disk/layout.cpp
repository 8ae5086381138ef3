#include "cache/disk/layout.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

#include "base/digest.h"

namespace tanggul::cache {
namespace {

constexpr std::size_t kNameSize = 32;

bool make_folder(const std::string& path) {
  return ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

std::string name_of(ObjectId id) {
  char name[kNameSize + 1];
  std::snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(id.high),
                static_cast<unsigned long long>(id.low));
  return name;
}

std::string folder_of(const std::string& kind, ObjectId id) {
  return kind + "/" + name_of(id).substr(0, 2);
}

}  // namespace

bool Layout::make() const {
  return make_folder(root_) && make_folder(folder(ObjectKind::entry)) &&
         make_folder(folder(ObjectKind::body)) && make_folder(arrivals());
}

bool Layout::make_folder_of(ObjectKind kind, ObjectId id) const {
  return make() && make_folder(folder_of(folder(kind), id));
}

std::string Layout::folder(ObjectKind kind) const {
  return root_ + (kind == ObjectKind::entry ? "/entries" : "/bodies");
}

std::string Layout::path(ObjectKind kind, ObjectId id) const {
  return folder_of(folder(kind), id) + "/" + name_of(id);
}

ObjectId id_of_digest(std::string_view sha256) noexcept {
  ObjectId id;
  for (std::size_t i = 0; i < 8; ++i) {
    id.high = id.high << 8 | static_cast<unsigned char>(sha256[i]);
    id.low = id.low << 8 | static_cast<unsigned char>(sha256[i + 8]);
  }
  return id;
}

ObjectId id_of_key(std::string_view key) {
  return id_of_digest(Digest::of(DigestKind::sha256, key));
}

std::optional<ObjectId> parse_name(std::string_view name) noexcept {
  if (name.size() != kNameSize) return std::nullopt;
  std::uint64_t halves[2] = {};
  for (std::size_t i = 0; i < kNameSize; ++i) {
    const char c = name[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return std::nullopt;
    halves[i / 16] = halves[i / 16] << 4 | static_cast<std::uint64_t>(digit);
  }
  return ObjectId{halves[0], halves[1]};
}

}  // namespace tanggul::cache
