#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tanggul::test {

// A document that has made some parser quadratic, recursive or large, at any size: those of cmark,
// cmark-gfm and md4c, those that fit our own readers, and plain garbage.
struct HostileDocument {
  std::string name;
  std::function<std::string(std::size_t bytes)> make;
};
const std::vector<HostileDocument>& hostile_documents();

}  // namespace tanggul::test
