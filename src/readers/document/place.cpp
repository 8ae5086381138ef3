#include "readers/document/place.h"

#include <algorithm>

#include "readers/papers/phrases.h"
#include "readers/tables/words.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kLongTitle = 512, kMuch = 4096;

// A link that stands by itself, not in a sentence that goes on about something else.
bool stands_apart(std::string_view before) { return words_of(before, 8).size() <= 4; }

}  // namespace

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

void Place::heading(int level, const std::string& text) {
  if (level == 7) {
    summary_ = lowered(text);
    return;
  }
  ++headings_seen_;
  if (title_.empty()) title_ = text.substr(0, kLongTitle);
  // The part above ends with the first heading that comes after some text.
  if (headings_seen_ > 1 && words_above_ > 0 && level <= 3) above_ = false;
  while (!open_.empty() && open_.back().level >= level) open_.pop_back();
  open_.push_back({level, text.substr(0, kLongTitle), lowered(text.substr(0, kLongTitle))});
  asked_ = several_ = false;
  entries_ = 0;
  before_.clear();
}

void Place::text(std::string_view text) {
  words_above_ += text.empty() ? 0 : 1;
  if (words_above_ > 200) above_ = false;  // blocks: a document without headings
  before_ = text.substr(0, kMuch);
  if (!may_ask_to_cite(before_)) return;
  const std::string lower = lowered(before_);
  if (!asks_to_cite(lower)) return;
  asked_ = true;
  several_ = asks_for_several(lower);
  entries_ = 0;
}

bool Place::among_others() const {
  if (is_others_heading(summary_)) return true;
  return std::any_of(open_.begin(), open_.end(), [this](const Heading& heading) {
    return heading.text != title_ && is_others_heading(heading.lower);
  });
}

bool Place::in_citation() const {
  return std::any_of(open_.begin(), open_.end(), [this](const Heading& heading) {
    return heading.text != title_ && is_citation_heading(heading.text);
  });
}

std::vector<std::string> Place::headings() const {
  std::vector<std::string> all;
  for (const Heading& heading : open_) all.push_back(heading.text);
  return all;
}

Signs Place::of_entry(std::string_view entry_title) {
  Signs signs = static_cast<Signs>(Sign::bibtex);
  const bool first = entries_++ == 0;
  const bool named = names_title(entry_title, title_);
  if ((asked_ || in_citation()) && (first || several_ || named))
    signs |= static_cast<Signs>(Sign::bibtex_to_be_cited);
  if (named) signs |= static_cast<Signs>(Sign::named_as_title);
  if (among_others()) signs |= static_cast<Signs>(Sign::among_others);
  return signs;
}

Signs Place::of_mention(std::string_view before, std::string_view label, bool badge) const {
  const std::string sentence = lowered(before) + lowered(label);
  Signs signs = 0;
  const auto add = [&signs](Sign sign, bool holds) {
    if (holds) signs |= static_cast<Signs>(sign);
  };
  const bool others = among_others();
  add(Sign::among_others, others);
  add(Sign::first_above, above_);
  if (!title_.empty())
    add(Sign::named_as_title, names_title(label.empty() ? before : label, title_));
  if (others) return signs;
  const std::string_view tail =
      std::string_view(before).substr(before.size() - std::min<std::size_t>(before.size(), 40));
  const bool labelled = label.empty() ? is_paper_label(tail) : is_paper_label(label);
  add(Sign::labelled_above, above_ && (badge || labelled) && stands_apart(before));
  add(Sign::ours, claims(sentence));
  add(Sign::introduced_above, above_ && introduces(sentence));
  const bool led_up_to = asked_ && (before_.ends_with(':') || before_.ends_with("::"));
  add(Sign::to_be_cited, asks_to_cite(lowered(before)) || led_up_to || in_citation());
  return signs;
}

}  // namespace tanggul::readers
