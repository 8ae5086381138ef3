#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "readers/papers/mention.h"

namespace tanggul::readers {

struct Evidence {
  std::string file;
  std::uint32_t line = 0;
  EvidenceKind kind = EvidenceKind::text;
  std::string text;
  unsigned version = 0;  // 0: none was given
};

struct Paper {
  std::string arxiv;                 // canonical
  unsigned version = 0;              // the highest that was named
  bool own = false;                  // the repository introduces or implements it
  double score = 0;                  // 0 to 1; own from 0.5 on
  std::vector<std::string> reasons;  // of the score, in words
  std::vector<Evidence> evidence;    // the first 16; fewer, short ones or none where there is much
  std::uint64_t mentions = 0;
};

// Gathers what all documents of a repository say of papers, and judges which are its own. The score
// is a sum of weights, one for each reason that holds; they and the order of reasons stand in
// ledger.cpp. Bounded: of 20,000 papers, each with 16 pieces of evidence, of
// which 64 mentions are looked at. One thread's.
class Ledger {
 public:
  Ledger() = default;
  Ledger(const Ledger&) = delete;  // the index refers to the papers
  Ledger& operator=(const Ledger&) = delete;

  static constexpr std::size_t kMostPapers = 20'000;

  // `primary`: the document speaks for the repository, as its README does; of others only what
  // they declare counts towards own.
  void add(std::string_view file, const Mention& mention, bool primary);
  // Further mentions of it change nothing but their number.
  bool enough(std::string_view id) const;
  // Sorted by score, then by identifier. Takes them out: it is empty then.
  std::vector<Paper> take_papers();
  // Papers that were named beyond the bound.
  std::uint64_t left_out() const { return left_out_; }

 private:
  std::optional<std::size_t> index_of(std::string_view id) const;

  // Hash and equality of papers by their identifiers.
  class ById {
   public:
    using is_transparent = void;
    explicit ById(const std::vector<Paper>& papers) : papers_(&papers) {}
    std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>()(id); }
    std::size_t operator()(std::uint32_t at) const { return (*this)(id(at)); }
    bool operator()(std::uint32_t a, std::uint32_t b) const { return id(a) == id(b); }
    bool operator()(std::string_view a, std::uint32_t b) const { return a == id(b); }
    bool operator()(std::uint32_t a, std::string_view b) const { return id(a) == b; }

   private:
    std::string_view id(std::uint32_t at) const { return (*papers_)[at].arxiv; }
    const std::vector<Paper>* papers_;
  };

  std::vector<Paper> papers_;
  std::vector<Signs> signs_;  // of each
  // Places in papers_: its nodes are small, and an identifier stands in its paper alone.
  std::unordered_set<std::uint32_t, ById, ById> by_id_{0, ById(papers_), ById(papers_)};
  std::uint64_t left_out_ = 0;
  std::size_t evidence_bytes_ = 0;
};

}  // namespace tanggul::readers
