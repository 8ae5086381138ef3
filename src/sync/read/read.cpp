#include "sync/read/read.h"

#include <fnmatch.h>

#include <algorithm>
#include <new>
#include <set>

#include "sync/read/candidate.h"
#include "sync/read/file_reader.h"
#include "sync/read/file_text.h"

namespace tanggul::sync {
namespace {

using ports::SourceFile;
using ports::SourceResult;

constexpr std::size_t kMostPatterns = 16;  // of imports: each is held against every name
constexpr std::size_t kMostFiles = 2000, kMostBelow = 10'000, kMostImports = 200;
constexpr std::uint64_t kMostTexts = 16;  // times the text limit, of all files together

class TreeReader {
 public:
  TreeReader(ports::SourceTree& tree, const ReadOptions& options)
      : tree_(tree), options_(options), files_(options.latest, findings_) {}

  SourceResult<Findings> run() {
    // Of very wide trees the sizes alone would take minutes to ask for.
    std::size_t below = 0;
    auto candidates = list([&below](std::string_view path) {
      const FileKind kind = kind_of_path(path);
      const bool in_root = path.find('/') == std::string_view::npos;
      return kind == FileKind::none || in_root || ++below <= kMostBelow ? kind : FileKind::none;
    });
    if (below > kMostBelow)
      skip("", "there are more documents than are looked at, 10,000 below the root");
    if (!candidates) return candidates.error();
    for (const Candidate& candidate : in_order(std::move(*candidates)))
      if (const auto fault = read(candidate)) return *fault;
    if (const auto fault = read_imports()) return *fault;
    files_.finish();
    return std::move(findings_);
  }

 private:
  using Fault = std::optional<ports::SourceError>;

  template <class KindOf>
  SourceResult<std::vector<Candidate>> list(KindOf kind_of) {
    const auto kind = [&](std::string_view path) {
      return options_.one_file ? kind_of_file(*options_.one_file) : kind_of(path);
    };
    auto listing = tree_.list([&](std::string_view path) { return kind(path) != FileKind::none; });
    if (!listing) return listing.error();
    for (const ports::UnreadFile& file : listing->unread)
      skip(file.path, std::string(reason(file.why)));
    if (listing->more) skip("", "there are more files or folders than are looked at");
    std::vector<Candidate> candidates;
    for (SourceFile& file : listing->files) {
      const FileKind of_file = kind(file.path);
      candidates.push_back({std::move(file), of_file});
    }
    return candidates;
  }

  Fault read(const Candidate& candidate) {
    if (files_seen_ == kMostFiles) skip("", "there are more documents than are read, 2000");
    if (++files_seen_ > kMostFiles) return {};
    const std::string& path = candidate.file.path;
    const ByteCount limit = limit_of(candidate.kind);
    const bool hands_on = is_text(candidate.kind) && !options_.pool.hands_on_to.empty();
    const bool whole_only = hands_on || !is_text(candidate.kind);
    if (candidate.file.size && *candidate.file.size > limit && whole_only)
      return too_large(candidate, limit);
    if (findings_.bytes_read + std::min(candidate.file.size.value_or(limit), limit) >
        kMostTexts * options_.pool.text_limit) {
      skip(path, "all texts together are over the pool's limit");
      findings_.handed_to = options_.pool.hands_on_to;
      return {};
    }
    try {
      auto text = read_text(tree_, candidate.file, limit);
      if (!text) return text.error();
      if (text->over && whole_only) return too_large(candidate, limit);
      take(candidate, *text);
    } catch (const std::bad_alloc&) {
      findings_.errors.push_back({stage_of(candidate.kind), path, "out of memory"});
    } catch (const std::exception& error) {
      findings_.errors.push_back({stage_of(candidate.kind), path, error.what()});
    }
    return {};
  }

  void take(const Candidate& candidate, const FileText& text) {
    const std::string& path = candidate.file.path;
    if (!text.unread.empty()) return skip(path, text.unread);
    ++findings_.files_read;
    findings_.bytes_read += text.bytes;
    if (text.over)
      findings_.truncated.push_back({path, text.bytes, candidate.file.size.value_or(text.bytes)});
    files_.read(candidate, text.text);
  }

  Fault too_large(const Candidate& candidate, ByteCount limit) {
    const bool hands_on = is_text(candidate.kind) && !options_.pool.hands_on_to.empty();
    std::string reason = "over the " + readable(limit) + " that are read of one";
    if (hands_on) {
      findings_.handed_to = options_.pool.hands_on_to;
      reason += "; for the pool " + findings_.handed_to;
    }
    skip(candidate.file.path, std::move(reason));
    return {};
  }

  // A model index may name further files; they may name others.
  Fault read_imports() {
    std::set<std::string> seen;
    std::size_t patterns = 0;
    for (int depth = 0; depth < 8; ++depth) {
      std::set<std::string> wanted;
      for (std::string& path : files_.take_imports()) {
        const bool pattern = path.find('*') != std::string::npos;
        // What is read by its own name anyway is not read again.
        if (!pattern && kind_of_path(path) != FileKind::none) continue;
        if (pattern && ++patterns > kMostPatterns) continue;
        if (seen.size() < kMostImports && seen.insert(path).second) wanted.insert(std::move(path));
      }
      if (wanted.empty() || options_.one_file) return {};
      auto found = list([&](std::string_view path) {
        return is_named(path, wanted) && kind_of_path(path) == FileKind::none
                   ? FileKind::model_index
                   : FileKind::none;
      });
      if (!found) return found.error();
      for (const Candidate& candidate : *found)
        std::erase_if(
            wanted, [&](const std::string& name) { return is_named(candidate.file.path, {name}); });
      for (const std::string& path : wanted) skip(path, "named by a model index, but not there");
      for (const Candidate& candidate : *found)
        if (const auto fault = read(candidate)) return fault;
    }
    return {};
  }

  // By its path, or by a pattern, "models/*.yml".
  static bool is_named(std::string_view path, const std::set<std::string>& names) {
    const std::string whole(path);
    return names.contains(whole) ||
           std::any_of(names.begin(), names.end(), [&whole](const std::string& name) {
             return name.find('*') != std::string::npos &&
                    ::fnmatch(name.c_str(), whole.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
           });
  }

  ByteCount limit_of(FileKind kind) const {
    if (is_text(kind)) return options_.pool.text_limit;
    return kind == FileKind::config_json || kind == FileKind::codemeta ? 2_MiB : 256_KiB;
  }

  void skip(std::string path, std::string reason) {
    if (findings_.skipped.size() < kMostFiles)
      findings_.skipped.push_back({std::move(path), std::move(reason)});
  }

  ports::SourceTree& tree_;
  const ReadOptions& options_;
  Findings findings_;
  FileReader files_;
  std::size_t files_seen_ = 0;
};

}  // namespace

std::string_view name(Stage stage) {
  constexpr std::string_view kNames[kStages] = {"front_matter", "markdown_ast", "rest",   "bibtex",
                                                "config_json",  "citation",     "results"};
  return kNames[static_cast<std::size_t>(stage)];
}

SourceResult<Findings> read_tree(ports::SourceTree& tree, const ReadOptions& options) {
  return TreeReader(tree, options).run();
}

}  // namespace tanggul::sync
