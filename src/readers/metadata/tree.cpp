#include "readers/metadata/tree.h"

#include <algorithm>
#include <set>

#include "base/bytes.h"

namespace tanggul::readers {

bool TreeNode::is_null() const noexcept {
  return exists() && tree_->items_[at_].kind == Tree::Kind::null;
}
bool TreeNode::is_scalar() const noexcept {
  return exists() && tree_->items_[at_].kind == Tree::Kind::scalar;
}
bool TreeNode::is_list() const noexcept {
  return exists() && tree_->items_[at_].kind == Tree::Kind::list;
}
bool TreeNode::is_map() const noexcept {
  return exists() && tree_->items_[at_].kind == Tree::Kind::map;
}
bool TreeNode::is_plain() const noexcept { return is_scalar() && tree_->items_[at_].plain; }
bool TreeNode::is_whole() const noexcept { return !exists() || tree_->items_[at_].whole; }
std::uint32_t TreeNode::line() const noexcept { return exists() ? tree_->items_[at_].line : 0; }

std::string_view TreeNode::text() const noexcept {
  if (!is_scalar()) return {};
  const Tree::Item& item = tree_->items_[at_];
  return std::string_view(tree_->text_).substr(item.first, item.count);
}

std::size_t TreeNode::size() const noexcept { return is_list() ? tree_->items_[at_].count : 0; }

TreeNode TreeNode::at(std::size_t i) const noexcept {
  if (i >= size()) return {};
  return {tree_, tree_->children_[tree_->items_[at_].first + i]};
}

// Recursion is bounded by the depth of the tree.
template <class Same>
TreeNode TreeNode::find_if(const Same& same) const noexcept {
  if (!is_map()) return {};
  const Tree::Item& item = tree_->items_[at_];
  TreeNode merged;
  for (std::uint32_t i = item.count; i >= 2; i -= 2) {
    const TreeNode key(tree_, tree_->children_[item.first + i - 2]);
    const TreeNode value(tree_, tree_->children_[item.first + i - 1]);
    if (same(key.text()) && key.is_scalar()) return value;
    if (!merged.exists() && key.is_plain() && key.text() == "<<") merged = value;
  }
  if (merged.is_map()) return merged.find_if(same);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    if (const TreeNode found = merged.at(i).find_if(same); found.exists()) return found;
  }
  return {};
}

TreeNode TreeNode::find(std::string_view key) const noexcept {
  return find_if([key](std::string_view other) { return key == other; });
}

TreeNode TreeNode::find_any_case(std::string_view key) const noexcept {
  return find_if([key](std::string_view other) { return iequals(key, other); });
}

std::vector<TreeNode::Entry> TreeNode::entries() const {
  std::vector<Entry> out;
  if (!is_map()) return out;
  const Tree::Item& item = tree_->items_[at_];
  std::set<std::string_view> seen;
  for (std::uint32_t i = item.count; i >= 2; i -= 2) {
    const TreeNode key(tree_, tree_->children_[item.first + i - 2]);
    if (!key.is_scalar() || !seen.insert(key.text()).second) continue;
    out.push_back({key.text(), {tree_, tree_->children_[item.first + i - 1]}});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace tanggul::readers
