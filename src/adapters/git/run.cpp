#include "adapters/git/run.h"

#include <algorithm>
#include <utility>

#include "adapters/git/command.h"

namespace tanggul::git {

namespace {
constexpr std::size_t kLine = 64_KiB;
}  // namespace

Expected<std::unique_ptr<process::Child>> Repository::start(std::vector<std::string> args,
                                                            MonoTime until) const {
  return process::Child::start(git_command(program, git_dir, std::move(args)), {silence, until});
}

Expected<Ran> run(const Repository& repository, std::vector<std::string> args) {
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

Failure failed(const std::string& said) { return {Errc::io, "git: " + said}; }

}  // namespace tanggul::git
