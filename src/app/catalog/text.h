#pragma once

#include <string>
#include <vector>

#include "app/terminal/console.h"
#include "sync/catalog/catalog.h"

namespace tanggul::app {

// For people: the first of many, and nothing that could speak to the terminal.
std::string paper_text(const sync::PaperRecord& paper, bool colour);
std::string hits_text(const std::vector<sync::Hit>& hits, bool colour);
Expected<void> put_repository_text(sync::Catalog& catalog, const sync::RepositoryRecord& repository,
                                   const Console& console);

}  // namespace tanggul::app
