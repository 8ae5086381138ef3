#include "readers/metadata/tree_builder.h"

#include <algorithm>

namespace tanggul::readers {

void TreeBuilder::null(std::uint32_t line, Anchor anchor) { leaf({.line = line}, anchor); }

void TreeBuilder::scalar(std::uint32_t line, std::string_view text, bool plain, Anchor anchor) {
  Tree::Item item{.kind = Tree::Kind::scalar, .plain = plain, .line = line};
  item.first = static_cast<std::uint32_t>(tree_.text_.size());
  item.count = static_cast<std::uint32_t>(text.size());
  tree_.text_ += text;
  leaf(item, anchor);
}

void TreeBuilder::leaf(Tree::Item item, Anchor anchor) {
  count(1);
  tree_.items_.push_back(item);
  add({.at = static_cast<std::uint32_t>(tree_.items_.size() - 1)}, anchor);
}

void TreeBuilder::open(Tree::Kind kind, std::uint32_t line, Anchor anchor) {
  if (open_.size() >= limits_.depth) throw LimitExceeded("nested too deeply");
  count(1);
  tree_.items_.push_back({.kind = kind, .whole = false, .line = line});
  const auto at = static_cast<std::uint32_t>(tree_.items_.size() - 1);
  open_.push_back({{.at = at, .height = 1}, pending_.size(), anchor});
}

void TreeBuilder::close() {
  const Open done = open_.back();
  open_.pop_back();
  Tree::Item& item = tree_.items_[done.extent.at];
  item.whole = true;
  item.first = static_cast<std::uint32_t>(tree_.children_.size());
  item.count = static_cast<std::uint32_t>(pending_.size() - done.first_pending);
  const auto first = pending_.begin() + static_cast<std::ptrdiff_t>(done.first_pending);
  tree_.children_.insert(tree_.children_.end(), first, pending_.end());
  pending_.resize(done.first_pending);
  add(done.extent, done.anchor);
}

void TreeBuilder::alias(std::uint32_t line, Anchor anchor) {
  if (++aliases_ > limits_.aliases) throw LimitExceeded("too many aliases");
  if (anchor >= anchored_.size() || anchored_[anchor].nodes == 0) return null(line);
  const Extent extent = anchored_[anchor];
  if (open_.size() + extent.height > limits_.depth) throw LimitExceeded("nested too deeply");
  count(extent.nodes);
  add(extent, 0);
}

void TreeBuilder::add(const Extent& extent, Anchor anchor) {
  if (anchor != 0) {
    if (anchor >= anchored_.size()) anchored_.resize(anchor + 1, {.nodes = 0});
    anchored_[anchor] = extent;
  }
  if (open_.empty()) return;
  pending_.push_back(extent.at);
  Extent& parent = open_.back().extent;
  parent.nodes += extent.nodes;
  parent.height = std::max(parent.height, extent.height + 1);
}

void TreeBuilder::count(std::uint32_t nodes) {
  if (nodes > limits_.nodes - nodes_) throw LimitExceeded("too many values");
  nodes_ += nodes;
}

Tree TreeBuilder::take() {
  while (!open_.empty()) {
    const auto at = open_.back().extent.at;
    const bool cut_key = tree_.items_[at].kind == Tree::Kind::map &&
                         (pending_.size() - open_.back().first_pending) % 2 != 0;
    if (cut_key) pending_.pop_back();
    close();
    tree_.items_[at].whole = false;
  }
  return std::move(tree_);
}

}  // namespace tanggul::readers
