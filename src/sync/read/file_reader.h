#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/arxiv/id.h"
#include "readers/papers/ledger.h"
#include "sync/read/candidate.h"
#include "sync/read/findings.h"

namespace tanggul::sync {

// The stage that a file's parsing counts under.
Stage stage_of(FileKind kind);

// Reads one file's text after the other, each by what it is, and gathers what they say.
class FileReader {
 public:
  FileReader(const readers::arxiv::Month& latest, Findings& findings)
      : latest_(latest), findings_(findings) {}

  void read(const Candidate& candidate, std::string_view text);
  // All are read: judges the papers.
  void finish();

  // Files that model indexes have named since the last call, as paths in the tree.
  std::vector<std::string> take_imports() { return std::exchange(imports_, {}); }

 private:
  class Document;

  void document(const Candidate& candidate, std::string_view text);
  std::string_view front_matter(const Candidate& candidate, std::string_view text,
                                std::uint32_t& first_line);
  void metadata(const std::string& file, Stage stage, readers::EvidenceKind kind,
                readers::Metadata found, std::string_view text, std::uint32_t first_line,
                bool primary);
  void references(const std::string& file, readers::EvidenceKind kind,
                  const readers::Metadata& found, std::string_view text, std::uint32_t first_line,
                  bool primary);
  void take(const std::string& file, readers::ModelIndexRow row);
  void import(const std::string& file, std::string_view path);

  const readers::arxiv::Month latest_;
  Findings& findings_;
  readers::Ledger ledger_;
  std::vector<std::string> imports_;
  std::uint64_t tables_left_out_ = 0, rows_left_out_ = 0, row_bytes_ = 0;
};

}  // namespace tanggul::sync
