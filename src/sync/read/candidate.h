#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "ports/source_tree.h"

namespace tanggul::sync {

// What a file is read as.
enum class FileKind {
  none,
  markdown,
  rest,
  plain,
  bibtex,
  citation_bibtex,  // CITATION.bib: how to cite the work itself
  config_json,
  citation_cff,
  codemeta,
  model_index,  // Papers with Code's model-index.yml
  eval_results,
};

// A text is read as far as a limit goes; half of any other document is none.
bool is_text(FileKind kind);

// By the name of a file in a repository; none: it is not read. Folders of other people's code
// ("node_modules", "third_party") are passed over.
FileKind kind_of_path(std::string_view path);
// Of a file that was named by itself, so that it is to be read whatever its name is.
FileKind kind_of_file(std::string_view name);

struct Candidate {
  ports::SourceFile file;
  FileKind kind = FileKind::none;
  // It speaks for the repository: the README of the root, or where there is none the documents
  // nearest to it.
  bool primary = false;
};

// In the order of reading: what speaks for the repository, then by depth and path.
std::vector<Candidate> in_order(std::vector<Candidate> candidates);

}  // namespace tanggul::sync
