#include "readers/document/place.h"

#include <algorithm>

#include "base/bytes.h"
#include "readers/markup/line.h"
#include "readers/papers/phrases.h"
#include "readers/tables/topic.h"
#include "readers/text/words.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kLongTitle = 512, kMuch = 4096, kMostEntries = 2000;

// A link that stands by itself, not in a sentence that goes on about something else.
bool stands_apart(std::string_view before) { return words_of(before, 8).size() <= 4; }

// "BERT [[paper](…)]" and "LLaVA ([arXiv](…))": of what is named just before.
bool of_a_name(std::string_view before) {
  const std::size_t bracket = before.find_last_not_of(' ');
  if (bracket == std::string_view::npos || (before[bracket] != '[' && before[bracket] != '('))
    return false;
  return !words_of(before.substr(0, bracket), 1).empty();
}

// "Paper: arXiv:" before a number.
bool is_only_label(std::string_view before) {
  const auto words = words_of(before, 5);
  return !words.empty() && words.size() <= 4 &&
         std::all_of(words.begin(), words.end(),
                     [](const std::string& word) { return is_paper_label(word); });
}

std::string_view last_words(std::string_view text) {
  return text.substr(text.size() - std::min<std::size_t>(text.size(), 48));
}

}  // namespace

void Place::heading(int level, const std::string& text) {
  if (level == 7) {
    summary_of_others_ = is_others_heading(to_lower(text));
    summary_of_citation_ = is_citation_heading(text);
    return;
  }
  ++headings_seen_;
  if (title_.empty()) title_ = text.substr(0, 128);
  // The part above ends with the first heading that comes after some text.
  if (headings_seen_ > 1 && words_above_ > 0 && level <= 3) above_ = false;
  while (!open_.empty() && open_.back().level >= level) open_.pop_back();
  Heading heading{level, text.substr(0, kLongTitle)};
  if (headings_seen_ > 1) {  // the first is the title
    heading.others = is_others_heading(to_lower(heading.text));
    heading.citation = is_citation_heading(heading.text);
    heading.references = is_reference_heading(heading.text);
    heading.results = readers::announces_results(heading.text);
  }
  open_.push_back(std::move(heading));
  entries_ = 0;
  before_.clear();
  before_asks_ = before_claims_ = false;
}

void Place::text(std::string_view text) {
  words_above_ += text.empty() ? 0 : 1;
  if (words_above_ > 200) above_ = false;  // blocks: a document without headings
  before_ = text.substr(0, kMuch);
  before_asks_ = before_claims_ = false;
  const bool leads = trim(before_).ends_with(':') || trim(before_).ends_with("：");
  const bool may_ask = may_ask_to_cite(before_);
  if (!leads && !may_ask) return;
  const std::string lower = to_lower(before_);
  const bool asks = may_ask && asks_to_cite(lower);
  before_asks_ = leads && asks;
  before_claims_ = leads && claims(last_words(lower));
  if (!asks) return;
  Heading& here = open_.empty() ? root_ : open_.back();
  here.asked = true;
  here.several = asks_for_several(lower);
  entries_ = 0;
}

bool Place::asked() const {
  return root_.asked ||
         std::any_of(open_.begin(), open_.end(), [](const Heading& h) { return h.asked; });
}

bool Place::among_others() const {
  return summary_of_others_ || std::any_of(open_.begin(), open_.end(),
                                           [](const Heading& h) { return h.others && !h.asked; });
}

bool Place::in_citation() const {
  return summary_of_citation_ ||
         std::any_of(open_.begin(), open_.end(), [](const Heading& h) { return h.citation; });
}

bool Place::in_references() const {
  return std::any_of(open_.begin(), open_.end(), [](const Heading& h) { return h.references; });
}

bool Place::announces_results() const {
  const std::size_t n = open_.size();
  for (std::size_t i = n > 2 ? n - 2 : 0; i < n; ++i)
    if (open_[i].results) return true;
  return readers::announces_results(before_);
}

std::vector<std::string> Place::headings() const {
  std::vector<std::string> all;
  all.reserve(open_.size());
  for (const Heading& heading : open_) all.push_back(heading.text);
  return all;
}

Signs Place::of_entry(std::string_view entry_title) {
  Signs signs = static_cast<Signs>(Sign::bibtex);
  if (++entries_seen_ > kMostEntries) return signs;
  const bool first = entries_++ == 0;
  const bool named = names_title(entry_title, title_);
  const bool several = root_.several || std::any_of(open_.begin(), open_.end(),
                                                    [](const Heading& h) { return h.several; });
  const auto add = [&signs](Sign sign, bool holds) {
    if (holds) signs |= static_cast<Signs>(sign);
  };
  const bool wanted = asked() || in_citation() || in_references();
  add(Sign::bibtex_to_be_cited, wanted && (first || several || named));
  add(Sign::of_several, wanted && several);
  add(Sign::named_as_title, named);
  add(Sign::among_others, among_others());
  add(Sign::ours, before_claims_ && first);
  return signs;
}

Signs Place::of_mention(const Said& said) const {
  // A long label is a title: what it says of others it does not say of this one.
  const bool is_title = words_of(said.label, 8).size() > 5;
  const bool of_others = voids(to_lower(last_words(said.before)));
  const std::string sentence =
      to_lower(said.before) + (is_title ? std::string() : to_lower(said.label));
  Signs signs = 0;
  const auto add = [&signs](Sign sign, bool holds) {
    if (holds) signs |= static_cast<Signs>(sign);
  };
  const bool others = among_others();
  add(Sign::among_others, others);
  add(Sign::first_above, above_);
  if (!title_.empty())
    add(Sign::named_as_title, names_title(said.label.empty() ? said.before : said.label, title_));
  if (others || said.listed) return signs;
  const bool labelled =
      said.label.empty() ? is_only_label(said.before) : is_paper_label(said.label);
  const bool of_other_name = of_a_name(said.before) && !names_title(said.before, title_);
  const bool apart = stands_apart(said.before) && !of_others && !of_other_name;
  const bool opens = said.opens && words_above_ == 0;
  add(Sign::labelled_above, above_ && ((said.badge || labelled) ? apart : opens));
  add(Sign::ours, (claims(sentence) && !of_others) || before_claims_);
  add(Sign::introduced_above, above_ && introduces(sentence) && !of_others);
  add(Sign::to_be_cited,
      asks_to_cite(to_lower(said.before)) || before_asks_ || (in_citation() && apart));
  return signs;
}

}  // namespace tanggul::readers
