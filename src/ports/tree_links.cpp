#include "ports/tree_links.h"

#include <deque>
#include <utility>

namespace tanggul::ports {
namespace {

void put_before(std::deque<std::string>& ahead, std::string_view path) {
  std::deque<std::string> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) names.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  ahead.insert(ahead.begin(), std::make_move_iterator(names.begin()),
               std::make_move_iterator(names.end()));
}

void leave_name(std::string& path) {
  const std::size_t slash = path.rfind('/');
  path.resize(slash == path.npos ? 0 : slash);
}

}  // namespace

ResolvedPath resolved_in_tree(std::string_view path,
                              const std::function<LinkAt(const std::string&)>& link_at) {
  if (path.starts_with('/')) return {{}, Unread::outside};
  std::deque<std::string> ahead;
  put_before(ahead, path);
  std::string done;
  for (int hops = 0; !ahead.empty();) {
    const std::string next = std::move(ahead.front());
    ahead.pop_front();
    if (next == ".") continue;
    if (next == "..") {
      if (done.empty()) return {{}, Unread::outside};
      leave_name(done);
      continue;
    }
    const std::string here = done.empty() ? next : done + "/" + next;
    const LinkAt link = link_at(here);
    if (link.unread) return {here, link.unread};
    if (!link.target) {
      done = here;
      continue;
    }
    if (++hops > kLinkHops) return {here, Unread::loop};
    if (link.target->starts_with('/')) return {here, Unread::outside};
    put_before(ahead, *link.target);
  }
  return {done};
}

}  // namespace tanggul::ports
