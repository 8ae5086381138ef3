#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tanggul::http {

// A path with placeholders, "/products/{id}/reviews": a placeholder stands for one whole segment
// that is not empty. Immutable.
class PathTemplate {
 public:
  static constexpr std::size_t kMostPlaceholders = 8;
  using Segments = std::array<std::string_view, kMostPlaceholders>;

  // nullopt: `wrong` says why, as the end of a sentence about the text.
  static std::optional<PathTemplate> parse(std::string_view text, std::string& wrong);

  const std::string& text() const noexcept { return text_; }
  // What every path of it begins with: up to the last slash before the first placeholder.
  const std::string& prefix() const noexcept { return prefix_; }
  const std::vector<std::string>& names() const noexcept { return names_; }
  // The bytes that are no placeholders': the more, the closer a path that matches.
  std::size_t literal() const noexcept { return literal_; }
  // The same for all templates that match the same paths.
  std::string shape() const;

  // Whether `rest`, the raw path from the last slash of the prefix on, is of this form; then the
  // placeholders' segments, as sent, in their order. Allocates nothing.
  bool match(std::string_view rest, Segments& segments) const noexcept;
  // The path from there on, with these segments.
  void append(const std::vector<std::string>& segments, std::string& out) const;

 private:
  struct Part {
    std::string literal;  // of a segment; empty: a placeholder
  };

  std::string text_, prefix_;
  std::vector<Part> parts_;  // the segments behind the prefix
  std::vector<std::string> names_;
  std::size_t literal_ = 0;
};

}  // namespace tanggul::http
