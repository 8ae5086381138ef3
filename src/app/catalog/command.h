#pragma once

#include <string>
#include <vector>

#include "app/terminal/console.h"
#include "sync/catalog/catalog.h"
#include "sync/catalog/export.h"

namespace tanggul::app {

// The commands `tanggul catalog …`. They end with kDone where there is what was asked for, with
// kFailed where there is not or the catalog fails, with kWrongUsage where it cannot be asked for.

struct PaperQuery {
  std::string id;  // an arXiv identifier in any form
  bool json = false;
};
// Which repositories name a paper, its own first.
int show_paper(sync::Catalog& catalog, const PaperQuery& query, const Console& console);

struct RepositoryQuery {
  std::string url;  // now or formerly its own
  bool json = false;
};
// What a repository says, by which release, and when it was visited.
int show_repository(sync::Catalog& catalog, const RepositoryQuery& query, const Console& console);

struct SearchQuery {
  std::vector<std::string> words;
  bool json = false;
};
// Papers, repositories, models and data sets that have all the words in their names.
int search_catalog(sync::Catalog& catalog, const SearchQuery& query, const Console& console);

struct ExportQuery {
  sync::ExportOptions options;
  std::string output;  // a file, which is there as a whole or not at all; empty: the console
};
int export_catalog(sync::Catalog& catalog, const ExportQuery& query, const Console& console);

}  // namespace tanggul::app
