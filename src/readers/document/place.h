#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "readers/papers/mention.h"

namespace tanggul::readers {

// Where in a document the reading is: under which headings, how far above, and whether the text
// before asked for citations. One document's, one thread's.
class Place {
 public:
  // `level` 7 is a <summary>; empty text ends it.
  void heading(int level, const std::string& text);
  // Text was read that is no heading.
  void text(std::string_view text);

  const std::string& title() const { return title_; }
  bool is_title() const {
    return headings_seen_ == 1;
  }  // right behind heading(): that was the first
  bool above() const { return above_; }
  bool among_others() const;
  bool in_citation() const;
  bool in_references() const;
  std::vector<std::string> headings() const;  // outermost first, as written
  // Do the nearest two headings, the title apart, or the text before announce results?
  bool announces_results() const;
  const std::string& before() const { return before_; }

  // The signs of a BibTeX entry that stands here.
  Signs of_entry(std::string_view entry_title);
  // Of a mention.
  struct Said {
    std::string_view before;  // in front of it in its sentence
    std::string_view label;   // what it is called, if it is a link
    bool badge = false;
    bool opens = false;   // the paragraph begins with it
    bool listed = false;  // in an entry of a list of references, "[1] …"
  };
  Signs of_mention(const Said& said) const;

 private:
  struct Heading {
    int level;
    std::string text;
    // What it is, found once.
    bool others = false, citation = false, references = false, results = false;
    bool asked = false, several = false;  // in the text under it, for citations; of how many
  };

  bool asked() const;

  std::string title_, before_;
  bool summary_of_others_ = false, summary_of_citation_ = false;
  std::vector<Heading> open_;
  std::size_t headings_seen_ = 0, words_above_ = 0, entries_ = 0, entries_seen_ = 0;
  bool above_ = true;
  Heading root_{};  // what stands before any heading
  bool before_asks_ = false,
       before_claims_ = false;  // of the text just before, which ends with ':'
};

}  // namespace tanggul::readers
