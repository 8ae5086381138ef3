#include "adapters/git/run.h"

#include <algorithm>
#include <utility>

namespace tanggul::git {

using ports::SourceResult;

namespace {
constexpr std::size_t kLine = 64_KiB;
}  // namespace

SourceResult<std::unique_ptr<Child>> Repository::start(std::vector<std::string> args,
                                                       MonoTime until) const {
  return Child::start(git_command(program, git_dir, std::move(args)), {silence, until});
}

SourceResult<Ran> run(const Repository& repository, std::vector<std::string> args) {
  auto child = repository.start(std::move(args), repository.latest());
  if (!child) return child.error();
  Ran out;
  for (;;) {
    const auto bytes = (*child)->read();
    if (!bytes) return bytes.error();
    if (bytes->empty()) break;
    if (out.out.size() < kLine) out.out += *bytes;
  }
  const auto status = (*child)->wait();
  if (!status) return status.error();
  out.status = *status;
  out.out.resize(std::min({out.out.find('\n'), out.out.size(), kLine}));
  if ((*child)->complained() || out.status != 0) out.said = (*child)->complaint();
  return out;
}

ports::SourceError failed(const std::string& said) { return {Errc::io, "git: " + said}; }

}  // namespace tanggul::git
