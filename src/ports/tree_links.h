#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ports/source_tree.h"

namespace tanggul::ports {

inline constexpr int kLinkHops = 5;

// What lies at a path of a tree, as far as links go.
struct LinkAt {
  std::optional<std::string> target;  // nullopt: no link
  std::optional<Unread> unread{};     // the link is there and its text cannot be had
};

struct ResolvedPath {
  std::string path;  // without links, "." and ".."; empty: the root
  std::optional<Unread> unread{};
};

// Where `path` leads to when links are followed by name alone: at most kLinkHops of them, and never
// through a name above the root. `link_at` is asked for each beginning of the path that no link
// leads to. Nothing need be there in the end.
ResolvedPath resolved_in_tree(std::string_view path,
                              const std::function<LinkAt(const std::string&)>& link_at);

}  // namespace tanggul::ports
