#pragma once

#include <optional>
#include <string>

#include "ports/source_tree.h"
#include "readers/arxiv/id.h"
#include "sync/pool.h"
#include "sync/read/findings.h"

namespace tanggul::sync {

struct ReadOptions {
  Pool pool;
  readers::arxiv::Month latest;  // now: no paper has a later identifier
  // The path of the one file that the tree is: it was named, so it is read whatever its name is.
  std::optional<std::string> one_file = {};
  // Files over the pool's text limit are not there, as a clone may leave them out: absent is too
  // large.
  bool large_left_out = false;
};

// Reads what a tree says of papers, results and models: its documents, model cards, citation files,
// model indexes and configurations. One bad file costs no other: what cannot be read is skipped or
// an error, and the rest is read. Blocks; memory is bounded by the pool's text limit and the bounds
// of the readers. An error only if the tree as a whole cannot be listed or read any further.
Expected<Findings> read_tree(ports::SourceTree& tree, const ReadOptions& options);

}  // namespace tanggul::sync
