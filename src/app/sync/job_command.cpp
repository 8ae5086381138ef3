#include "app/sync/job_command.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <new>

#include "adapters/curl/guarded_web.h"
#include "adapters/git/git_cloner.h"
#include "app/config/units.h"
#include "app/sync/stores.h"
#include "app/sync/this_month.h"
#include "app/version.h"
#include "sync/job/job.h"

namespace tanggul::app {
namespace {

// For trying out what becomes of a job that wants too much: TANGGUL_FAULT="allocate 4GiB WORD"
// makes those want that much whose URL has the word in it.
void allocate_if_told(const std::string& url) {
  const char* const told = std::getenv("TANGGUL_FAULT");
  constexpr std::string_view kAllocate = "allocate ";
  if (told == nullptr || !std::string_view(told).starts_with(kAllocate)) return;
  const std::string_view rest = std::string_view(told).substr(kAllocate.size());
  const std::size_t space = rest.find(' ');
  if (space == rest.npos || url.find(rest.substr(space + 1)) == url.npos) return;
  const auto size = read_size(rest.substr(0, space), 1_GiB).value.value_or(0);
  constexpr std::size_t kPiece = 1 << 20;
  std::vector<std::unique_ptr<char[]>> pieces;
  for (ByteCount have = 0; have < size; have += kPiece) {
    pieces.push_back(std::make_unique_for_overwrite<char[]>(kPiece));
    for (std::size_t i = 0; i < kPiece; i += 4096) pieces.back()[i] = 'x';
  }
}

sync::JobReport failed(sync::JobEnd end, std::string detail) {
  sync::JobReport report;
  report.end = end;
  report.detail = std::move(detail);
  return report;
}

sync::JobReport done(const sync::JobOrder& order) try {
  allocate_if_told(order.url);
  const auto session = open_catalog(order.catalog);
  if (!session) return failed(sync::JobEnd::busy, session.error().detail);
  auto catalog = sync::Catalog::open(**session);
  if (!catalog) return failed(sync::JobEnd::busy, catalog.error().detail);
  const auto web = curl::make_guarded_web(
      {.trusted = order.trusted, .user_agent = std::string("tanggul/") + kVersion});
  const auto cloner = git::make_cloner();
  return sync::do_job(order, {*web, *cloner, *catalog, this_month()});
} catch (const std::bad_alloc&) {
  return failed(sync::JobEnd::oom, "over the pool's memory");
}

}  // namespace

int do_ordered_job() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto order = sync::job_order_of(text);
  if (!order) {
    std::cerr << order.error().detail << '\n';
    return 2;
  }
  std::cout << to_json(done(*order)) << std::endl;
  return std::cout ? 0 : 1;
}

}  // namespace tanggul::app
