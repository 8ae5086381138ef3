#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "readers/metadata/findings.h"
#include "readers/papers/ledger.h"
#include "readers/tables/results.h"

namespace tanggul::sync {

// Where parsing is done and may go wrong; the label of repo_parse_errors_total.
enum class Stage { front_matter, markdown_ast, rest, bibtex, config_json, citation, results };
constexpr std::size_t kStages = 7;
std::string_view name(Stage stage);

// `line` 0: of the file as a whole.
struct StageError {  // we gave up: over a limit of ours, out of memory, an exception
  Stage stage;
  std::string file, message;
};
struct StageDefect {  // the input is imperfect; what else it says was read
  Stage stage;
  std::string file;
  std::uint32_t line = 0;
  std::string message;
};
struct Skipped {
  std::string file, reason;
};
struct Truncated {
  std::string file;
  ByteCount read, size;
};
template <class T>
struct Filed {  // what a file says
  std::string file;
  T value;
};

// What a repository, folder or file says.
struct Findings {
  std::vector<readers::Paper> papers;
  std::vector<Filed<readers::ResultTable>> result_tables;
  std::vector<Filed<readers::ModelIndexRow>> model_index;
  std::optional<Filed<readers::Model>> model;       // of the config.json nearest to the root
  std::vector<Filed<readers::Model>> other_models;  // of further ones
  std::vector<Skipped> skipped;
  std::vector<Truncated> truncated;
  std::vector<StageError> errors;
  std::vector<StageDefect> defects;
  std::uint64_t files_read = 0, bytes_read = 0;
  bool out_of_memory = false;  // what a stage was reading then is an error
  std::string handed_to;       // the pool that is to read it again; empty: none
};

}  // namespace tanggul::sync
