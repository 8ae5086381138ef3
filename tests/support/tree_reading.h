#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ports/source_tree.h"

namespace tanggul::test {

inline bool any_file(std::string_view) { return true; }

// A listing in few words: "path=size", and "path!reason" for what is unread.
inline std::vector<std::string> in_words(const ports::Listing& listing) {
  std::vector<std::string> out;
  for (const auto& [path, size] : listing.files) {
    out.push_back(path + "=" + (size ? std::to_string(*size) : "?"));
  }
  for (const auto& [path, why] : listing.unread) {
    out.push_back(path + "!" + std::string(name(why)));
  }
  return out;
}

// What a file holds, or "!reason".
inline std::string text_of(ports::SourceTree& tree, const std::string& path,
                           ByteCount limit = 1_MiB) {
  std::string out;
  const auto reading = tree.read({path, {}}, limit, [&](std::string_view piece) {
    out += piece;
    return true;
  });
  if (!reading) return "!" + reading.error().detail;
  if (reading->unread) return "!" + std::string(name(*reading->unread));
  return out;
}

inline std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace tanggul::test
