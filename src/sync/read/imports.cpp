#include "sync/read/imports.h"

#include <algorithm>
#include <utility>

namespace tanggul::sync {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The first piece begins the name, the last one ends it, and the others follow each other between.
bool matches_name(const std::vector<std::string>& pieces, std::string_view name) {
  if (pieces.size() == 1) return name == pieces[0];
  if (pieces[0].empty() && name.starts_with('.')) return false;
  const std::string& first = pieces.front();
  const std::string& last = pieces.back();
  if (name.size() < first.size() + last.size()) return false;
  if (!name.starts_with(first) || !name.ends_with(last)) return false;
  name = name.substr(first.size(), name.size() - first.size() - last.size());
  return std::all_of(pieces.begin() + 1, pieces.end() - 1, [&name](const std::string& piece) {
    const std::size_t at = name.find(piece);
    if (at == std::string_view::npos) return false;
    name.remove_prefix(at + piece.size());
    return true;
  });
}

bool is_yaml(std::string_view path) { return path.ends_with(".yml") || path.ends_with(".yaml"); }

}  // namespace

PathPattern::PathPattern(std::string_view pattern) : text_(pattern) {
  for (const std::string& segment : split(pattern, '/')) segments_.push_back(split(segment, '*'));
}

bool PathPattern::matches(std::string_view path) const {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const std::size_t end = path.find('/');
    const bool last = i + 1 == segments_.size();
    if (last != (end == std::string_view::npos)) return false;
    if (!matches_name(segments_[i], path.substr(0, end))) return false;
    path.remove_prefix(last ? path.size() : end + 1);
  }
  return true;
}

void Imports::want(std::string path) {
  if (path.size() > kLongest) {
    left_out_ = true;
    return;
  }
  const bool pattern = path.find('*') != std::string::npos;
  std::size_t& seen = pattern ? patterns_seen_ : names_seen_;
  if (asked_.contains(path)) return;
  if (seen == (pattern ? kMostPatterns : kMostNames)) {
    left_out_ = true;
    return;
  }
  ++seen;
  asked_.insert(path);
  if (pattern)
    patterns_.push_back({PathPattern(path)});
  else
    names_.insert(std::move(path));
}

bool Imports::take(std::string_view path) {
  if (const auto named = names_.find(path); named != names_.end()) {
    names_.erase(named);
    return true;
  }
  return is_yaml(path) && by_pattern(path);
}

bool Imports::by_pattern(std::string_view path) {
  for (Wanted& wanted : patterns_) {
    if (!wanted.pattern.matches(path)) continue;
    wanted.found = true;
    if (matched_ == kMostMatched) {
      left_out_ = true;
      return false;
    }
    ++matched_;
    return true;
  }
  return false;
}

std::vector<std::string> Imports::take_missing() {
  std::vector<std::string> missing(names_.begin(), names_.end());
  for (const Wanted& wanted : patterns_)
    if (!wanted.found) missing.push_back(wanted.pattern.text());
  names_.clear();
  patterns_.clear();
  return missing;
}

}  // namespace tanggul::sync
