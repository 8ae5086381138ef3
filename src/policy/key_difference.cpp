#include "tanggul/policy/key_difference.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/bytes.h"
#include "http/target.h"

namespace tanggul::policy {
namespace {

using In = KeyDifference::In;

constexpr std::size_t kMostNames = 16, kMostSegments = 16;
constexpr std::size_t kName = 32, kSegment = 24, kShape = 80;  // characters that are printed

// What a key consists of is numbered: parameters by their names, …
constexpr std::size_t kOtherNames = kMostNames;
constexpr std::size_t kFirstSegment = kOtherNames + 1;
constexpr std::size_t kCredential = kFirstSegment + kMostSegments, kVariant = kCredential + 1;
constexpr std::size_t kParts = kVariant + 1;
using Parts = std::vector<std::size_t>;

std::uint64_t combined(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdULL;
}

// A key with a hash in place of each part's text; 0: it has no such part.
using Hashes = std::array<std::uint64_t, kParts>;

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto end = text.find(at);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> parameters_of(const MissedKey& key) {
  const http::Target target = http::split_target(key.target);
  return target.has_query ? split(target.query, '&') : std::vector<std::string_view>();
}

// A parameter without "=" is all value: it has no name that could be told.
std::string_view name_of(std::string_view parameter) {
  const auto equals = parameter.find('=');
  return equals == std::string_view::npos ? std::string_view() : parameter.substr(0, equals);
}

std::vector<std::string_view> segments_of(const MissedKey& key) {
  std::string_view path = http::split_target(key.target).path;
  if (path.starts_with('/')) path.remove_prefix(1);
  return split(path, '/');
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : text.substr(0, most)) out += c > ' ' && c < 0x7f ? c : '?';
  return text.size() > most ? out + "..." : out;
}

class Keys {
 public:
  explicit Keys(std::span<const MissedKey> keys) : keys_(keys) {
    name_parameters();
    for (const MissedKey& key : keys) hashes_.push_back(hashes_of(key));
    count_values();
    all_ = left_without({});
  }

  std::size_t all() const { return all_; }

  // How many different keys are left without these parts of them.
  std::size_t left_without(const Parts& parts) const {
    std::array<bool, kParts> left_out{};
    for (const std::size_t p : parts) left_out[p] = true;
    std::set<std::uint64_t> left;
    for (const Hashes& hashes : hashes_) {
      std::uint64_t key = 0;
      for (std::size_t p = 0; p < kParts; ++p)
        key = combined(key, left_out[p] && hashes[p] != 0 ? 1 : hashes[p]);
      left.insert(key);
    }
    return left.size();
  }

  // The fewest of `parts` without which at most `limit` keys are left; empty: not even without all.
  // One, if one will do: the one that leaves the fewest. Else those that steady ones can be taken
  // out of, one after the other.
  Parts culprits(Parts parts, std::size_t limit) const {
    std::size_t best = limit + 1;
    Parts one;
    for (const std::size_t p : parts)
      if (const std::size_t left = left_without({p}); left < best) best = left, one = {p};
    if (!one.empty()) return one;
    if (parts.empty() || left_without(parts) > limit) return {};
    std::vector<std::pair<std::size_t, std::size_t>> steady;  // with few values first
    for (const std::size_t p : parts) steady.emplace_back(values_of(p), p);
    std::sort(steady.begin(), steady.end());
    for (const auto& [values, p] : steady) {
      Parts fewer = parts;
      std::erase(fewer, p);
      if (left_without(fewer) <= limit) parts = std::move(fewer);
    }
    return parts;
  }

  Parts parameters() const {
    Parts out;
    for (std::size_t p = 0; p <= kOtherNames; ++p)
      if (values_of(p) > 1) out.push_back(p);
    return out;
  }
  Parts segments() const {
    Parts out;
    for (std::size_t p = kFirstSegment; p < kCredential; ++p)
      if (values_of(p) > 1) out.push_back(p);
    return out;
  }

  std::string parameter(std::size_t p) const {
    if (p == kOtherNames) return "parameters of ever-new names";
    return names_[p].empty() ? "a query without names" : "?" + printable(names_[p], kName) + "=";
  }

  // The path that most of them have without these segments.
  std::string shape(const Parts& parts) const {
    std::map<std::string, std::size_t> shapes;
    for (const MissedKey& key : keys_) ++shapes[shape_of(key, parts)];
    return std::max_element(shapes.begin(), shapes.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

 private:
  void name_parameters() {
    std::map<std::string_view, std::size_t> keys_with;
    for (const MissedKey& key : keys_) {
      std::set<std::string_view> names;
      for (const std::string_view p : parameters_of(key)) names.insert(name_of(p));
      for (const std::string_view name : names) ++keys_with[name];
    }
    std::vector<std::pair<std::string_view, std::size_t>> common;
    for (const auto& [name, n] : keys_with)
      if (n * 16 > keys_.size()) common.emplace_back(name, n);
    std::sort(common.begin(), common.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    for (const auto& [name, n] : common)
      if (names_.size() < kMostNames) names_.push_back(name);
  }

  Hashes hashes_of(const MissedKey& key) const {
    Hashes out{};
    for (const std::string_view p : parameters_of(key)) {
      const auto at = std::find(names_.begin(), names_.end(), name_of(p)) - names_.begin();
      std::uint64_t& part =
          out[at == std::ssize(names_) ? kOtherNames : static_cast<std::size_t>(at)];
      part = combined(part, hash_bytes(p)) | 2;  // neither "none" nor "left out"
    }
    const auto segments = segments_of(key);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      std::uint64_t& part = out[kFirstSegment + std::min(i, kMostSegments - 1)];
      part = combined(part, hash_bytes(segments[i])) | 2;
    }
    out[kCredential] = key.credential;
    out[kVariant] = key.variant;
    return out;
  }

  std::string shape_of(const MissedKey& key, const Parts& parts) const {
    std::string shape;
    const auto segments = segments_of(key);
    for (std::size_t i = 0; i < segments.size() && shape.size() < kShape; ++i) {
      const std::size_t part = kFirstSegment + std::min(i, kMostSegments - 1);
      const bool differs = std::find(parts.begin(), parts.end(), part) != parts.end();
      const bool steady = values_of(part) == 1;
      shape += "/" + (differs ? "*" : steady ? printable(segments[i], kSegment) : std::string("_"));
    }
    return shape.size() > kShape ? shape.substr(0, kShape) + "..." : shape;
  }

  std::size_t values_of(std::size_t part) const { return values_[part]; }

  void count_values() {
    for (std::size_t p = 0; p < kParts; ++p) {
      std::set<std::uint64_t> values;
      for (const Hashes& h : hashes_) values.insert(h[p]);
      values_[p] = values.size();
    }
  }

  std::span<const MissedKey> keys_;
  std::vector<std::string_view> names_;
  std::vector<Hashes> hashes_;
  std::array<std::size_t, kParts> values_{};  // how many different ones each part has
  std::size_t all_ = 0;
};

KeyDifference told(const Keys& keys, In in, const Parts& parts) {
  KeyDifference out;
  out.in = in;
  for (const std::size_t p : parts) {
    if (in == In::parameters) out.parameters.push_back(keys.parameter(p));
    if (in == In::path_segments) out.segments.push_back(p - kFirstSegment);
  }
  if (in == In::path_segments) out.shape = keys.shape(parts);
  return out;
}

std::string ordinal(std::size_t n) {
  static constexpr std::string_view kEnds[] = {"th", "st", "nd", "rd"};
  const bool teen = n / 10 % 10 == 1;
  return std::to_string(n).append(kEnds[!teen && n % 10 < 4 ? n % 10 : 0]);
}

// "a", "a and b", "a, b and 3 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  const std::size_t told = names.size() <= kMost ? names.size() : kMost - 1;
  std::string out;
  for (std::size_t i = 0; i < told; ++i) {
    const bool last = i + 1 == names.size();
    out.append(i == 0 ? "" : last ? " and " : ", ").append(names[i]);
  }
  if (told < names.size()) out += " and " + std::to_string(names.size() - told) + " more";
  return out;
}

}  // namespace

KeyDifference key_difference(std::span<const MissedKey> all) {
  const Keys keys(all);
  if (keys.all() < 2) return {};
  for (const std::size_t part_left : {10, 2}) {
    const std::size_t limit = std::max<std::size_t>(1, keys.all() / part_left);
    const std::pair<In, Parts> groups[] = {{In::parameters, keys.parameters()},
                                           {In::path_segments, keys.segments()},
                                           {In::credential, {kCredential}},
                                           {In::variant, {kVariant}}};
    for (const auto& [in, parts] : groups)
      if (const Parts found = keys.culprits(parts, limit); !found.empty())
        return told(keys, in, found);
  }
  return {};
}

std::string describe(const KeyDifference& difference) {
  switch (difference.in) {
    case In::nothing_common:
      return "they differ in nothing common";
    case In::parameters:
      return "they differ in " + listed(difference.parameters);
    case In::path_segments: {
      std::vector<std::string> which;
      for (const std::size_t s : difference.segments) which.push_back(ordinal(s + 1));
      return "they differ in the " + listed(which) + " path segment" +
             (which.size() > 1 ? "s, " : ", ") + difference.shape;
    }
    case In::credential:
      return "they differ in the client's credential";
    case In::variant:
      return "they differ in a request header that Vary names";
  }
  return {};
}

}  // namespace tanggul::policy
