#pragma once

#include <iosfwd>
#include <vector>

#include "sync/catalog/catalog.h"

namespace tanggul::app {

// One JSON object on a line each, of hits an array; times as in RFC 3339.
void put_paper_json(const sync::PaperRecord& paper, std::ostream& out);
void put_hits_json(const std::vector<sync::Hit>& hits, std::ostream& out);
// With all rows of what it says now, which are read as they are written.
Expected<void> put_repository_json(sync::Catalog& catalog, const sync::RepositoryRecord& repository,
                                   std::ostream& out);

}  // namespace tanggul::app
