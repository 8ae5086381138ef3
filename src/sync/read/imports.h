#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tanggul::sync {

// Names of files, in which '*' stands for any part of a file's or folder's name, as a shell has it:
// not for '/', nor for a '.' at the beginning. Linear in pattern and path.
class PathPattern {
 public:
  explicit PathPattern(std::string_view pattern);
  bool matches(std::string_view path) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::vector<std::string>> segments_;  // each the pieces between its '*'
};

// What model indexes name further: files, and YAML files by patterns. Bounded, since whoever writes
// an index could name all of a tree many times over. One thread's.
class Imports {
 public:
  static constexpr std::size_t kMostNames = 200, kMostPatterns = 16, kLongest = 1024;
  static constexpr std::size_t kMostMatched = 200;  // files that patterns find

  void want(std::string path);
  bool wants_any() const { return !names_.empty() || !patterns_.empty(); }
  // Asked of each file of the tree, once in a round.
  bool take(std::string_view path);
  // Ends a round: what no file was found for. Nothing is wanted then.
  std::vector<std::string> take_missing();
  // More were named, or found by patterns, than are followed.
  bool left_out() const { return left_out_; }

 private:
  bool by_pattern(std::string_view path);

  struct Wanted {
    PathPattern pattern;
    bool found = false;
  };
  std::set<std::string, std::less<>> names_, asked_;  // asked: of all rounds
  std::vector<Wanted> patterns_;
  std::size_t names_seen_ = 0, patterns_seen_ = 0, matched_ = 0;
  bool left_out_ = false;
};

}  // namespace tanggul::sync
