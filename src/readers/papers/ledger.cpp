#include "readers/papers/ledger.h"

#include <algorithm>

namespace tanggul::readers {
namespace {

constexpr std::size_t kMostEvidence = 16, kManyPapers = 15;
constexpr std::uint64_t kMostMentions = 64;
constexpr std::size_t kMostTextBytes = 6 << 20;  // of evidence; then one piece each

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

void Ledger::add(std::string_view file, const Mention& mention, bool primary) {
  auto found = entries_.find(mention.id.canonical);
  if (found == entries_.end()) {
    if (entries_.size() >= kMostPapers) {
      ++left_out_;
      return;
    }
    found = entries_.emplace(mention.id.canonical, Entry{}).first;
    found->second.paper.arxiv = mention.id.canonical;
  }
  Entry& entry = found->second;
  constexpr Signs kDeclared = static_cast<Signs>(Sign::declared) | static_cast<Signs>(Sign::cited);
  entry.signs |= primary ? mention.signs : mention.signs & kDeclared;
  Paper& paper = entry.paper;
  ++paper.mentions;
  paper.version = std::max(paper.version, mention.id.version);
  const std::size_t most = text_bytes_ < kMostTextBytes ? kMostEvidence : 1;
  if (paper.evidence.size() < most && !mention.text.empty()) {
    text_bytes_ += mention.text.size() + file.size() + sizeof(Evidence);
    paper.evidence.push_back(
        {std::string(file), mention.line, mention.kind, mention.text, mention.id.version});
  }
}

bool Ledger::enough(std::string_view id) const {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return entries_.size() >= kMostPapers;
  return found->second.paper.mentions >= kMostMentions;
}

std::vector<Paper> Ledger::take_papers() {
  Company company{entries_.size()};
  for (const auto& [id, entry] : entries_)
    company.one_is_ours = company.one_is_ours || beyond_doubt(entry.signs);
  std::vector<Paper> all;
  all.reserve(company.papers);
  while (!entries_.empty()) {
    auto entry = entries_.extract(entries_.begin());
    all.push_back(std::move(entry.mapped().paper));
    judge(all.back(), entry.mapped().signs, company);
  }
  std::sort(all.begin(), all.end(), [](const Paper& a, const Paper& b) {
    return a.score != b.score ? a.score > b.score : a.arxiv < b.arxiv;
  });
  return all;
}

}  // namespace tanggul::readers
