#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tanggul::readers {

class Tree;

// A place in a tree, or none: what is asked of none, or of a node of another kind, is empty, so
// that a reader follows a path without asking at each step. Lives as long as the tree does.
class TreeNode {
 public:
  TreeNode() = default;

  bool exists() const noexcept { return tree_ != nullptr; }
  bool is_null() const noexcept;  // exists and is null
  bool is_scalar() const noexcept;
  bool is_list() const noexcept;
  bool is_map() const noexcept;
  bool is_plain() const noexcept;  // a scalar that was not quoted
  bool is_whole() const noexcept;  // its end was read
  std::uint32_t line() const noexcept;
  std::string_view text() const noexcept;  // of a scalar

  std::size_t size() const noexcept;  // of a list
  TreeNode at(std::size_t i) const noexcept;

  // The value of a key: of its last one, else of what is merged in by `<<` (YAML 1.1).
  TreeNode find(std::string_view key) const noexcept;
  TreeNode find_any_case(std::string_view key) const noexcept;

  struct Entry;
  // Of a map, in the file's order, each key once, its last value; without what is merged in.
  std::vector<Entry> entries() const;

 private:
  friend class Tree;
  TreeNode(const Tree* tree, std::uint32_t at) : tree_(tree), at_(at) {}
  template <class Same>
  TreeNode find_if(const Same& same) const noexcept;

  const Tree* tree_ = nullptr;
  std::uint32_t at_ = 0;
};

struct TreeNode::Entry {
  std::string_view key;
  TreeNode value;
};

// A document as written: nothing is interpreted, every scalar is its text. Nodes that an alias
// stands for are shared; no node contains itself.
class Tree {
 public:
  TreeNode root() const noexcept { return items_.empty() ? TreeNode() : TreeNode(this, 0); }

 private:
  friend class TreeNode;
  friend class TreeBuilder;

  enum class Kind : std::uint8_t { null, scalar, list, map };
  struct Item {
    Kind kind = Kind::null;
    bool plain = false, whole = true;
    std::uint32_t line = 0;
    std::uint32_t first = 0, count = 0;  // in text_; or in children_, where map keys alternate
  };

  std::vector<Item> items_;
  std::vector<std::uint32_t> children_;
  std::string text_;
};

}  // namespace tanggul::readers
