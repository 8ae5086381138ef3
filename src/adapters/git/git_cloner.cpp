#include "adapters/git/git_cloner.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "adapters/git/command.h"
#include "adapters/git/git_tree.h"
#include "adapters/git/tree_records.h"
#include "process/child.h"

namespace tanggul::git {
namespace {

namespace fs = std::filesystem;
using ports::Clone;
using ports::CloneLimits;
using ports::Remote;

// How often the disk is looked at while a clone runs.
constexpr Duration kLook = 200ms;

// Blocks, since a file of holes takes none; what vanishes under the walk counts for nothing.
ByteCount disk_use(const std::string& folder) {
  ByteCount sum = 0;
  std::error_code ec;
  fs::recursive_directory_iterator at(folder, ec), end;
  for (; !ec && at != end; at.increment(ec)) {
    struct stat found = {};
    if (::lstat(at->path().c_str(), &found) == 0)
      sum += static_cast<ByteCount>(found.st_blocks) * 512;
  }
  return sum;
}

// What git says itself: nothing that the server has said, nor what it quotes, a URL above all.
std::string own_words(std::string_view said) {
  std::string out;
  while (!said.empty()) {
    const std::size_t end = std::min(said.find('\n'), said.size());
    const std::string_view line = said.substr(0, end);
    said.remove_prefix(std::min(end + 1, said.size()));
    if (line.starts_with("remote:")) continue;
    bool quoted = false;
    for (const char c : line) {
      if (c == '\'') quoted = !quoted;
      if (!quoted) out += c;
    }
    out += '\n';
  }
  return out;
}

// The same in our words, for a program to decide by.
Errc code_of(std::string_view said, int status) {
  const std::string words = own_words(said);
  const auto says = [&](std::string_view phrase) { return words.find(phrase) != words.npos; };
  if (status == 127) return Errc::io;
  if (says("File too large") || says("out of memory") || says("Out of memory") ||
      says("mmap failed") || says("malloc failed") || says("died of signal 9") ||
      says("died of signal 25"))  // SIGKILL; SIGXFSZ
    return Errc::too_large;
  if (says("No space left")) return Errc::io;
  if (says("Operation too slow") || says("timed out")) return Errc::stalled;
  if (says("Could not resolve") || says("Failed to connect") || says("Connection refused"))
    return Errc::refused;
  if (says("early EOF") || says("Recv failure") || says("hung up") || says("RPC failed") ||
      says("unexpected disconnect") || says("Empty reply"))
    return Errc::reset;
  return Errc::bad_response;
}

class GitCloner final : public ports::Cloner {
 public:
  explicit GitCloner(GitClonerConfig config) : config_(std::move(config)) {}

  Expected<std::optional<std::string>> head(const Remote& remote,
                                            const CloneLimits& limits) override {
    auto said = run(remote, {"ls-remote", "--end-of-options", remote.url, "HEAD"}, "", limits);
    if (!said) return said.error();
    // "<id>\tHEAD\n"; nothing where there is no commit.
    if (said->empty()) return std::optional<std::string>();
    std::string id = said->substr(0, said->find('\t'));
    if (!is_object_id(id)) return Failure{Errc::bad_response, "HEAD is no commit there"};
    return std::optional(std::move(id));
  }

  Expected<Clone> clone(const Remote& remote, const std::string& folder,
                        const CloneLimits& limits) override {
    const auto done =
        run(remote,
            {"clone", "--quiet", "--bare", "--depth=1", "--single-branch", "--no-tags",
             "--no-recurse-submodules", fmt::format("--filter=blob:limit={}", limits.blob),
             "--template=", "--end-of-options", remote.url, folder},
            folder, limits);
    if (!done) return done.error();
    auto tree = GitTree::open(folder, {.program = config_.program, .silence = config_.silence});
    if (!tree) return Failure{Errc::bad_response, tree.error().detail};
    auto commit = (*tree)->commit();
    return Clone{std::move(*tree), std::move(commit)};
  }

 private:
  // The beginning of what it prints. `folder`: what it writes to; empty: nothing.
  Expected<std::string> run(const Remote& remote, std::vector<std::string> args,
                            const std::string& folder, const CloneLimits& limits) const {
    const MonoTime talkative = MonoClock::now() + 3 * config_.silence;
    // git itself gives up on a slow transfer; what is left to be silent after it is git.
    const MonoTime until = folder.empty() ? std::min(limits.until, talkative) : limits.until;
    auto child = process::Child::start(
        remote_command(config_.program, {remote.url, remote.address, config_.ca, config_.silence},
                       std::move(args)),
        {.silence = kLook, .until = until, .memory = limits.memory, .file_size = limits.disk});
    if (!child) return child.error();
    (*child)->end_input();
    std::string out;
    for (;;) {
      const auto bytes = (*child)->read();
      if (!folder.empty() && disk_use(folder) > limits.disk)
        return Failure{Errc::too_large, fmt::format("the repository takes more than {} MiB of disk",
                                                    limits.disk / 1_MiB)};
      if (MonoClock::now() >= until) return Failure{Errc::deadline, "git was not through in time"};
      if (!bytes && bytes.error().code != Errc::stalled) return bytes.error();
      if (!bytes) continue;
      if (bytes->empty()) break;
      if (out.size() < 4_KiB) out += *bytes;
    }
    return ended(**child, std::move(out));
  }

  static Expected<std::string> ended(process::Child& child, std::string out) {
    const auto status = child.wait();
    if (!status) return status.error();
    if (*status == 0) return out;
    return Failure{code_of(child.said(), *status), "git: " + child.complaint()};
  }

  const GitClonerConfig config_;
};

}  // namespace

bool can_run(const std::string& program) {
  const auto child = process::Child::start(remote_command(program, {}, {"--version"}), {});
  if (!child) return false;
  (*child)->end_input();
  const auto status = (*child)->wait();
  return status && *status == 0;
}

std::unique_ptr<ports::Cloner> make_cloner(GitClonerConfig config) {
  return std::make_unique<GitCloner>(std::move(config));
}

}  // namespace tanggul::git
