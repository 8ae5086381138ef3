#include "readers/papers/ledger.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kMostEvidence = 16, kManyPapers = 15, kMostLabelled = 5;
constexpr std::uint64_t kMostMentions = 64;
// Of all evidence, with the names of its files: from the first on one piece each, and a short one;
// beyond the second none, which takes very long paths.
constexpr std::size_t kMuch = 2 << 20, kMost = 8 << 20, kShort = 80;

struct Weight {
  Sign sign;
  double weight;
  const char* reason;
};
// Each alone decides from 0.5 on. Found by reading what READMEs of research code do; the tests hold
// it to documents that people have judged.
constexpr Weight kWeights[] = {
    {Sign::declared, 0.8, "a citation file names it as the work's own"},
    {Sign::in_title, 0.6, "the title links it"},
    {Sign::labelled_above, 0.5, "linked as the paper above the text"},
    {Sign::ours, 0.5, "called the repository's own in the text"},
    {Sign::to_be_cited, 0.5, "asked to be cited"},
    {Sign::bibtex_to_be_cited, 0.55, "its BibTeX entry is asked to be cited"},
    {Sign::bibtex, 0.35, "has a BibTeX entry"},
    {Sign::introduced_above, 0.4, "the introduction refers to it as the source"},
    {Sign::named_as_title, 0.3, "named as the title"},
};
constexpr double kSole = 0.3, kByTheWay = -0.15, kAmongOthers = -0.5, kInACrowd = 0.5;

// Reasons that a list of other people's projects does not weaken.
bool beyond_doubt(Signs signs) {
  return has(signs, Sign::declared) || has(signs, Sign::in_title) || has(signs, Sign::ours) ||
         has(signs, Sign::labelled_above);
}

// Said where the text is about one paper, not about many.
bool stands_out(Signs signs) {
  return has(signs, Sign::declared) || has(signs, Sign::in_title) ||
         has(signs, Sign::labelled_above) || has(signs, Sign::bibtex_to_be_cited);
}

struct Company {
  std::size_t papers = 0;
  std::size_t labelled = 0;  // of how many a link "Paper" stands above
  bool one_is_ours = false;  // the text says of one that it is the repository's own
};

// A request for one paper may stand before the entries of several: then its own is the one that the
// text knows too.
bool is_entry_by_the_way(Signs signs, const Company& company) {
  for (const Sign more :
       {Sign::of_several, Sign::named_as_title, Sign::to_be_cited, Sign::introduced_above})
    if (has(signs, more)) return false;
  return company.one_is_ours && !beyond_doubt(signs);
}

void judge(Paper& paper, Signs signs, const Company& company) {
  double score = 0;
  if (company.labelled > kMostLabelled)  // a list of papers, which needs no heading
    signs &= ~static_cast<Signs>(Sign::labelled_above);
  for (const Weight& weight : kWeights) {
    if (!has(signs, weight.sign)) continue;
    if (weight.sign == Sign::bibtex && has(signs, Sign::bibtex_to_be_cited)) continue;
    score += weight.weight;
    paper.reasons.emplace_back(weight.reason);
  }
  const bool above_or_named = has(signs, Sign::first_above) || has(signs, Sign::named_as_title);
  if (company.papers == 1 && above_or_named) {
    score += kSole;
    paper.reasons.emplace_back("the only paper that is named");
  }
  if (has(signs, Sign::bibtex_to_be_cited) && is_entry_by_the_way(signs, company)) {
    score += kByTheWay;
    paper.reasons.emplace_back("but another one is called the repository's own");
  }
  const bool known = beyond_doubt(signs) || has(signs, Sign::named_as_title) ||
                     has(signs, Sign::bibtex_to_be_cited);
  if (has(signs, Sign::among_others) && !known) {
    score += kAmongOthers;
    paper.reasons.emplace_back("listed among related work");
  }
  if (company.papers > kManyPapers && !stands_out(signs)) {
    score *= kInACrowd;
    if (score > 0) paper.reasons.emplace_back("one of many papers");
  }
  if (has(signs, Sign::cited))
    paper.reasons.emplace_back("a citation file lists it as a reference");
  paper.score = std::clamp(score, 0.0, 1.0);
  paper.own = paper.score >= 0.5 - 1e-9;
}

}  // namespace

std::optional<std::size_t> Ledger::index_of(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? std::nullopt : std::optional<std::size_t>(*found);
}

void Ledger::add(std::string_view file, const Mention& mention, bool primary) {
  std::optional<std::size_t> at = index_of(mention.id.canonical);
  if (!at) {
    if (papers_.size() >= kMostPapers) {
      ++left_out_;
      return;
    }
    at = papers_.size();
    papers_.emplace_back().arxiv = mention.id.canonical;
    signs_.push_back(0);
    by_id_.insert(static_cast<std::uint32_t>(*at));
  }
  constexpr Signs kDeclared = static_cast<Signs>(Sign::declared) | static_cast<Signs>(Sign::cited);
  signs_[*at] |= primary ? mention.signs : mention.signs & kDeclared;
  Paper& paper = papers_[*at];
  ++paper.mentions;
  paper.version = std::max(paper.version, mention.id.version);
  const bool much = evidence_bytes_ >= kMuch;
  if (mention.text.empty() || paper.evidence.size() >= (much ? 1 : kMostEvidence)) return;
  std::string text(utf8_prefix(mention.text, much ? kShort : mention.text.size()));
  const std::size_t bytes = text.size() + file.size() + sizeof(Evidence);
  if (evidence_bytes_ + bytes > kMost) return;
  evidence_bytes_ += bytes;
  paper.evidence.push_back(
      {std::string(file), mention.line, mention.kind, std::move(text), mention.id.version});
}

bool Ledger::enough(std::string_view id) const {
  const auto at = index_of(id);
  return at ? papers_[*at].mentions >= kMostMentions : papers_.size() >= kMostPapers;
}

std::vector<Paper> Ledger::take_papers() {
  by_id_.clear();
  std::vector<Paper> all = std::exchange(papers_, {});
  const std::vector<Signs> signs = std::exchange(signs_, {});
  const auto labelled = std::count_if(signs.begin(), signs.end(),
                                      [](Signs s) { return has(s, Sign::labelled_above); });
  const Company company{all.size(), static_cast<std::size_t>(labelled),
                        std::any_of(signs.begin(), signs.end(), beyond_doubt)};
  for (std::size_t i = 0; i < all.size(); ++i) judge(all[i], signs[i], company);
  std::sort(all.begin(), all.end(), [](const Paper& a, const Paper& b) {
    return a.score != b.score ? a.score > b.score : a.arxiv < b.arxiv;
  });
  return all;
}

}  // namespace tanggul::readers
