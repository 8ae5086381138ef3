// Commits repositories to a catalog until it is ended: catalog_writer ADDRESS FIRST LAST ROUNDS
// [PAPERS]. Says "." for each that is written.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "conformance/catalog_engine.h"
#include "conformance/catalog_examples.h"
#include "sync/catalog/catalog.h"

namespace tanggul::test {
namespace {

int write(const std::string& address, int first, int last, int rounds, std::size_t papers) {
  const auto session = open_session(address);
  auto catalog = std::move(sync::Catalog::open(*session)).value();
  for (int round = 0; round < rounds; ++round) {
    for (int i = first; i <= last; ++i) {
      sync::Visit one = visit(fmt::format("owner/repository-{}", i));
      one.findings = findings(papers + static_cast<std::size_t>(i % 7));
      one.findings.files_read = one.findings.papers.size();
      catalog.commit(one).value();
      std::fputs(".", stdout);
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace tanggul::test

int main(int argc, char** argv) try {
  if (argc < 5) return 2;
  const std::size_t papers = argc > 5 ? std::strtoul(argv[5], nullptr, 10) : 2;
  return tanggul::test::write(argv[1], std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4]),
                              papers);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
