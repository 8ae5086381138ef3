#include "app/catalog/command.h"

#include <fmt/format.h>

#include <ostream>

#include "app/catalog/json.h"
#include "app/catalog/text.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "readers/arxiv/id.h"

namespace tanggul::app {
namespace {

// Of a paper that everybody names more is no answer for people; an export has them all.
constexpr std::size_t kMostLinks = 1000;

int failed(const Failure& failure, const Console& console) {
  console.err << fmt::format("error: {}\n", printable(failure.detail));
  return failure.code == Errc::bad_input ? kWrongUsage : kFailed;
}

int not_found(std::string_view what, const Console& console) {
  console.err << fmt::format("error: {} is not in the catalog\n", to_utf8(printable(what)));
  return kFailed;
}

// As people paste it: "github.com/a/b", "https://github.com/a/b.git", ".../".
std::vector<std::string> urls_meant(std::string url) {
  std::vector<std::string> out{url};
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with(".git")) url.resize(url.size() - 4);
  if (url.find("://") == std::string::npos) url.insert(0, "https://");
  if (url != out[0]) out.push_back(url);
  if (const std::string lower = to_lower(url); lower != url) out.push_back(lower);
  return out;
}

}  // namespace

int show_paper(sync::Catalog& catalog, const PaperQuery& query, const Console& console) {
  const auto id = readers::arxiv::parse(query.id);
  if (!id) {
    console.err << fmt::format("error: \"{}\" is no arXiv identifier\n",
                               to_utf8(printable(query.id)));
    return kWrongUsage;
  }
  const auto paper = catalog.paper(id->canonical, kMostLinks);
  if (!paper) return failed(paper.error(), console);
  if (!*paper) return not_found(id->canonical, console);
  if (query.json)
    put_paper_json(**paper, console.out);
  else
    console.out << paper_text(**paper, console.colour);
  return kDone;
}

int show_repository(sync::Catalog& catalog, const RepositoryQuery& query, const Console& console) {
  for (const std::string& url : urls_meant(query.url)) {
    const auto repository = catalog.repository(url);
    if (!repository) return failed(repository.error(), console);
    if (!*repository) continue;
    const auto put = query.json ? put_repository_json(catalog, **repository, console.out)
                                : put_repository_text(catalog, **repository, console);
    return put ? kDone : failed(put.error(), console);
  }
  return not_found(query.url, console);
}

int search_catalog(sync::Catalog& catalog, const SearchQuery& query, const Console& console) {
  const auto hits = catalog.search(query.words);
  if (!hits) return failed(hits.error(), console);
  if (query.json)
    put_hits_json(*hits, console.out);
  else
    console.out << hits_text(*hits, console.colour);
  return hits->empty() ? kFailed : kDone;
}

}  // namespace tanggul::app
