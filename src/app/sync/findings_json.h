#pragma once

#include <iosfwd>
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

// One JSON object on a line. Values of model indexes that are numbers stand with the digits that
// their authors wrote.
void put_findings_json(const Source& source, const sync::Pool& pool, const sync::Findings& findings,
                       std::ostream& out);

}  // namespace tanggul::app
