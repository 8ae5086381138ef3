#include "app/sync/read_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <filesystem>
#include <memory>
#include <new>
#include <ostream>
#include <ranges>

#include "adapters/folder/folder_tree.h"
#include "adapters/folder/single_file.h"
#include "adapters/git/git_tree.h"
#include "app/sync/findings_json.h"
#include "app/sync/findings_text.h"
#include "app/sync/this_month.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "sync/pool.h"
#include "sync/read/read.h"

namespace tanggul::app {
namespace {

struct Opened {
  std::unique_ptr<ports::SourceTree> tree;
  Source source;
};

template <class Tree>
Expected<Opened> opened(Expected<std::unique_ptr<Tree>> tree, Source source) {
  if (!tree) return tree.error();
  return Opened{std::move(*tree), std::move(source)};
}

Expected<Opened> open(const std::string& path) {
  std::error_code ignored;
  if (git::is_git_repository(path)) {
    auto tree = git::GitTree::open(path);
    if (!tree) return tree.error();
    // Before its first commit a working tree is just a folder.
    const bool has_folder = std::filesystem::exists(std::filesystem::path(path) / ".git", ignored);
    if ((*tree)->commit() || !has_folder) {
      Source source{path, "git", (*tree)->commit(), (*tree)->remote()};
      return Opened{std::move(*tree), std::move(source)};
    }
  }
  if (std::filesystem::is_directory(path, ignored))
    return opened(folder::FolderTree::open(path), {path, "folder", {}, {}});
  return opened(folder::SingleFile::open(path), {path, "file", {}, {}});
}

// What is beyond it fails as an allocation of ours, and costs one file. A sanitizer needs more room
// than there is in any machine.
void bound_memory(ByteCount bytes) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bytes);
  ::setrlimit(RLIMIT_DATA, &limit);
#else
  static_cast<void>(bytes);
#endif
}

// A file that was named, or a folder, of which nothing can be read is a failure; one that another
// pool is to read is none.
ExitStatus status_of(const std::string& path, const Source& source, const sync::Findings& findings,
                     const Console& console) {
  if (findings.files_read > 0 || !findings.handed_to.empty()) return kDone;
  const bool whole =
      source.kind == "file" || (findings.skipped.size() == 1 && findings.skipped[0].file.empty());
  if (!whole) return kDone;
  const std::string reason =
      findings.skipped.empty() ? "cannot be read" : findings.skipped[0].reason;
  console.err << fmt::format("error: {}: {}\n", printable(to_utf8(path)), reason);
  return kFailed;
}

}  // namespace

int read_source(const ReadQuery& query, const Console& console) try {
  const auto pool = sync::find_pool(query.pools, query.pool);
  if (!pool) {
    console.err << fmt::format(
        "error: --pool: there is no pool \"{}\"; there are {}\n", printable(query.pool),
        fmt::join(query.pools | std::views::transform(&sync::Pool::name), " and "));
    return kWrongUsage;
  }
  std::error_code error;
  if (!std::filesystem::exists(query.path, error)) {
    console.err << fmt::format("error: {}: {}\n", printable(to_utf8(query.path)),
                               error ? error.message() : "there is no such file or folder");
    return kWrongUsage;
  }
  bound_memory(pool->memory);
  auto source = open(query.path);
  if (source) {
    const sync::ReadOptions options{
        *pool, this_month(),
        source->source.kind == "file" ? std::optional(query.path) : std::nullopt};
    const auto findings = sync::read_tree(*source->tree, options);
    if (findings) {
      if (query.json)
        put_findings_json(source->source, *pool, *findings, console.out);
      else
        console.out << findings_text(source->source, *findings, console.colour);
      return status_of(query.path, source->source, *findings, console);
    }
    source = findings.error();
  }
  console.err << fmt::format("error: {}: {}\n", printable(to_utf8(query.path)),
                             source.error().detail);
  return kFailed;
} catch (const std::bad_alloc&) {  // of a single file it is one of the errors
  console.err << "error: out of memory\n";
  return kFailed;
}

}  // namespace tanggul::app
