#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tanggul::readers {

// A link "[text](where)" or an image "![alternative](where)" of a paragraph.
struct Span {
  bool image = false;
  std::size_t begin = 0, end = 0;            // all of it
  std::size_t text_begin = 0, text_end = 0;  // what is read of it
};

// What a paragraph's text is made of: its links and images in the order in which they end (the
// first 4096), and the text as it is read, each HTML comment blanked out. Code spans are no
// comments and hold no links. No emphasis, no references: nothing is rendered. Linear: a place is
// looked at a bounded number of times, and where that bound is reached what is left is plain text.
class Inline {
 public:
  explicit Inline(std::string_view text);
  const std::vector<Span>& spans() const { return spans_; }
  std::string_view visible() const { return blanked_.empty() ? text_ : blanked_; }

 private:
  // The brackets that are open: of very many the innermost.
  static constexpr std::size_t kOpen = 64;
  struct Bracket {
    std::size_t at;
    bool image;
  };

  std::size_t run_of_ticks(std::size_t at) const;
  void look_at_ticks();
  void code();
  void comment();
  void open();
  void close();
  std::size_t target_end(std::size_t from);

  std::string_view text_;
  std::string blanked_;
  std::vector<Span> spans_;
  std::size_t at_ = 0, budget_;
  std::array<Bracket, kOpen> brackets_{};
  std::size_t top_ = 0, depth_ = 0;
  std::array<std::size_t, 64> last_tick_{};
  bool ticks_known_ = false, no_comment_end_ = false;
};

}  // namespace tanggul::readers
