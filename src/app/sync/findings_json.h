#pragma once

#include <optional>
#include <string>

#include "sync/pool.h"
#include "sync/read/findings.h"

namespace tanggul::app {

// Where findings come from.
struct Source {
  std::string path, kind;             // "file", "folder", "git"
  std::optional<std::string> commit;  // of a repository that has one
  std::string remote;                 // without user and password; empty: none
};

// One JSON object on one line. Values of model indexes that are numbers stand with the digits that
// their authors wrote.
std::string findings_json(const Source& source, const sync::Pool& pool,
                          const sync::Findings& findings);

}  // namespace tanggul::app
