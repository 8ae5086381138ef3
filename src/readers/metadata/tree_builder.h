#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "readers/metadata/tree.h"

namespace tanggul::readers {

// Thrown by the builder through the parser that drives it; the file that called the parser catches.
struct LimitExceeded : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct TreeLimits {
  std::uint32_t depth = 64;
  std::uint32_t nodes = std::numeric_limits<std::uint32_t>::max();  // what aliases stand for too
  std::uint32_t aliases = 0;
};

// Makes a tree of a parser's events. The tree may be taken at any time: what is still open then is
// marked as not whole.
class TreeBuilder {
 public:
  using Anchor = std::size_t;  // numbered from 1 as they come; 0: none

  explicit TreeBuilder(TreeLimits limits) : limits_(limits) {}

  void null(std::uint32_t line, Anchor anchor = 0);
  void scalar(std::uint32_t line, std::string_view text, bool plain, Anchor anchor = 0);
  void open_list(std::uint32_t line, Anchor anchor = 0) { open(Tree::Kind::list, line, anchor); }
  void open_map(std::uint32_t line, Anchor anchor = 0) { open(Tree::Kind::map, line, anchor); }
  void close();
  // A node that is still open, hence contains the alias, is null in its own inside.
  void alias(std::uint32_t line, Anchor anchor);

  Tree take();

 private:
  struct Extent {
    std::uint32_t at = 0;      // in items_
    std::uint32_t nodes = 1;   // with all that aliases stand for
    std::uint32_t height = 0;  // levels of containers
  };
  struct Open {
    Extent extent;
    std::size_t first_pending;  // its children are pending_ from here
    Anchor anchor;
  };

  void open(Tree::Kind kind, std::uint32_t line, Anchor anchor);
  void leaf(Tree::Item item, Anchor anchor);
  void add(const Extent& extent, Anchor anchor);
  void count(std::uint32_t nodes);

  TreeLimits limits_;
  Tree tree_;
  std::vector<Open> open_;
  std::vector<std::uint32_t> pending_;
  std::vector<Extent> anchored_;  // by anchor; nodes == 0: not closed
  std::uint32_t nodes_ = 0, aliases_ = 0;
};

}  // namespace tanggul::readers
