#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tanggul::readers {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\v\f") == std::string_view::npos;
}
inline std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\v\f\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Takes the next line from the text, without its end.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// A line as it is consumed from the left, in columns: a tab reaches to the next multiple of four
// (CommonMark 2.2), and part of one may be taken.
class LineCursor {
 public:
  explicit LineCursor(std::string_view line) : line_(line) {}

  // Columns of blank space from here; stops counting above `most`.
  int indent(int most = 64) const {
    int columns = -partial_, column = column_ - partial_;
    std::size_t at = at_;
    for (; at < line_.size() && columns <= most; ++at) {
      const int wide = line_[at] == ' ' ? 1 : line_[at] == '\t' ? 4 - (column & 3) : 0;
      if (wide == 0) break;
      columns += wide, column += wide;
    }
    return columns;
  }
  void skip_columns(int columns) {
    while (columns > 0 && at_ < line_.size() && is_blank(line_[at_])) {
      const int wide = line_[at_] == ' ' ? 1 : 4 - ((column_ - partial_) & 3);
      const int left = wide - partial_;
      if (columns < left) {
        partial_ += columns, column_ += columns;
        return;
      }
      columns -= left, column_ += left, partial_ = 0, ++at_;
    }
  }
  void skip_blanks() { skip_columns(1 << 30); }
  void skip_bytes(std::size_t n) { at_ += n, column_ += static_cast<int>(n), partial_ = 0; }

  bool at_end() const { return at_ >= line_.size(); }
  bool rest_is_blank() { return content().empty(); }
  std::string_view rest() const { return line_.substr(at_); }
  // The rest behind its blanks, looked for once however often it is asked.
  std::string_view content() {
    if (content_ < at_ || !looked_) {
      content_ = std::min(line_.find_first_not_of(" \t\v\f", at_), line_.size());
      looked_ = true;
    }
    return line_.substr(content_);
  }

 private:
  std::string_view line_;
  std::size_t at_ = 0, content_ = 0;
  bool looked_ = false;
  int column_ = 0;
  int partial_ = 0;  // columns taken of the tab at at_
};

}  // namespace tanggul::readers
