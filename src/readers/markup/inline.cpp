#include "readers/markup/inline.h"

#include <algorithm>

namespace tanggul::readers {
namespace {

constexpr std::size_t kLongestTarget = 2048, kMostSpans = 4096;

}  // namespace

Inline::Inline(std::string_view text) : text_(text), budget_(4 * text.size() + 4096) {
  while (at_ < text_.size()) {
    switch (text_[at_]) {
      case '\\':
        at_ += 2;
        break;
      case '`':
        code();
        break;
      case '<':
        comment();
        break;
      case '[':
        open();
        break;
      case ']':
        close();
        break;
      default:
        ++at_;
    }
  }
}

std::size_t Inline::run_of_ticks(std::size_t at) const {
  return std::min(text_.find_first_not_of('`', at), text_.size()) - at;
}

// Where each length of a run of backticks stands last, so that a run without an end is known at
// once and the text is never searched in vain.
void Inline::look_at_ticks() {
  ticks_known_ = true;
  for (std::size_t at = text_.find('`', at_); at < text_.size(); at = text_.find('`', at)) {
    const std::size_t n = run_of_ticks(at);
    if (n < last_tick_.size()) last_tick_[n] = at;
    at += n;
  }
}

void Inline::code() {
  if (!ticks_known_) look_at_ticks();
  const std::size_t begin = at_, n = run_of_ticks(at_);
  at_ += n;
  if (n >= last_tick_.size() || last_tick_[n] <= begin) return;
  for (std::size_t found = 0; found != n; at_ += found) {
    at_ = text_.find('`', at_);
    found = run_of_ticks(at_);
  }
}

void Inline::comment() {
  if (!text_.substr(at_).starts_with("<!--") || no_comment_end_) {
    ++at_;
    return;
  }
  const std::size_t end = text_.find("-->", at_ + 4);
  no_comment_end_ = end == std::string_view::npos;
  if (no_comment_end_) {
    ++at_;
    return;
  }
  if (blanked_.empty()) blanked_ = text_;
  for (; at_ < end + 3; ++at_)
    if (blanked_[at_] != '\n') blanked_[at_] = ' ';
}

void Inline::open() {
  brackets_[top_++ % kOpen] = {at_, at_ > 0 && text_[at_ - 1] == '!'};
  depth_ = std::min(depth_ + 1, kOpen);
  ++at_;
}

void Inline::close() {
  ++at_;
  if (depth_ == 0) return;
  --depth_;
  const Bracket bracket = brackets_[--top_ % kOpen];
  if (at_ >= text_.size() || text_[at_] != '(') return;
  const std::size_t end = target_end(at_ + 1);
  if (end == std::string_view::npos) return;
  if (spans_.size() < kMostSpans)
    spans_.push_back(
        {bracket.image, bracket.image ? bracket.at - 1 : bracket.at, end, bracket.at + 1, at_ - 1});
  at_ = end;
}

// Behind the ')' that closes "(where 'title'": parentheses in it must be paired.
std::size_t Inline::target_end(std::size_t from) {
  const std::size_t most = std::min({text_.size(), from + kLongestTarget, from + budget_});
  int depth = 1;
  std::size_t at = from;
  for (; at < most && text_[at] != '\n'; ++at) {
    const char c = text_[at];
    if (c == '\\')
      ++at;
    else if (c == '(')
      ++depth;
    else if (c == ')' && --depth == 0)
      break;
  }
  at = std::min(at, most);
  budget_ -= std::min(budget_, at - from);
  return at < most && text_[at] == ')' ? at + 1 : std::string_view::npos;
}

}  // namespace tanggul::readers
