#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tanggul::sync {

// A site of which we know how it names repositories: in any case of letters, and with what its
// pages add after them.
struct Forge {
  std::string_view host;
  // Leaves what names the repository; false where that is none.
  bool (*cut)(std::vector<std::string>& segments);
};

// By any name that it answers to, in lower case; null: none that we know.
const Forge* find_forge(std::string_view host);

}  // namespace tanggul::sync
