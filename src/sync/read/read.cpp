#include "sync/read/read.h"

#include <algorithm>
#include <functional>
#include <new>
#include <set>
#include <string>

#include "sync/read/candidate.h"
#include "sync/read/file_reader.h"
#include "sync/read/file_text.h"
#include "sync/read/imports.h"

namespace tanggul::sync {
namespace {

using ports::SourceFile;

constexpr std::size_t kMostFiles = 2000, kMostBelow = 10'000;
constexpr std::uint64_t kMostTexts = 16;  // times the text limit, of all files together

class TreeReader {
 public:
  TreeReader(ports::SourceTree& tree, const ReadOptions& options)
      : tree_(tree), options_(options), files_(options.latest, findings_) {}

  Expected<Findings> run() {
    // Of very wide trees the sizes alone would take minutes to ask for.
    std::size_t below = 0;
    auto candidates = list(
        [&below](std::string_view path) {
          if (kind_of_path(path) == FileKind::none) return false;
          return path.find('/') == std::string_view::npos || ++below <= kMostBelow;
        },
        kind_of_path);
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
  using Fault = std::optional<Failure>;

  // `wanted` is asked of each path once.
  Expected<std::vector<Candidate>> list(
      const std::function<bool(std::string_view path)>& wanted,
      const std::function<FileKind(std::string_view path)>& kind_of) {
    const bool one = options_.one_file.has_value();  // is wanted, whatever its name
    auto listing = tree_.list([&](std::string_view path) { return one || wanted(path); });
    if (!listing) return listing.error();
    for (const ports::UnreadFile& file : listing->unread) {
      const FileKind kind = one ? kind_of_file(*options_.one_file) : kind_of(file.path);
      if (file.why == ports::Unread::absent && options_.large_left_out && kind != FileKind::none)
        too_large({{file.path, std::nullopt}, kind}, options_.pool.text_limit);
      else
        skip(file.path, std::string(reason(file.why)));
    }
    if (!listing->part_lost.empty())
      skip("", "a part of the tree cannot be listed: " + listing->part_lost);
    if (listing->more) skip("", "there are more files or folders than are looked at");
    std::vector<Candidate> candidates;
    for (SourceFile& file : listing->files) {
      const FileKind kind = one ? kind_of_file(*options_.one_file) : kind_of(file.path);
      candidates.push_back({std::move(file), kind});
    }
    return candidates;
  }

  Fault read(const Candidate& candidate) {
    seen_.insert(candidate.file.path);
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
      findings_.out_of_memory = true;
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

  // A model index may name further files; they may name others. None is read twice.
  Fault read_imports() {
    if (options_.one_file) return {};
    Imports imports;
    for (int depth = 0; depth < 8; ++depth) {
      for (std::string& path : files_.take_imports())
        if (!seen_.contains(path)) imports.want(std::move(path));
      if (!imports.wants_any()) break;
      const auto wanted = [&](std::string_view path) {
        const FileKind kind = kind_of_path(path);
        return (kind == FileKind::none || kind == FileKind::model_index) && !seen_.contains(path) &&
               imports.take(path);
      };
      const auto found = list(wanted, [](std::string_view) { return FileKind::model_index; });
      if (!found) return found.error();
      for (std::string& path : imports.take_missing())
        skip(std::move(path), "named by a model index, but not there");
      for (const Candidate& candidate : *found)
        if (const auto fault = read(candidate)) return fault;
    }
    if (imports.left_out())
      skip("", "model indexes name more files than are followed, 200 and 200 by 16 patterns");
    return {};
  }

  ByteCount limit_of(FileKind kind) const {
    if (is_text(kind)) return options_.pool.text_limit;
    return kind == FileKind::config_json || kind == FileKind::codemeta ? 2_MiB : 256_KiB;
  }

  void skip(std::string path, std::string reason) {
    // Of the tree as a whole it is told once, however often it is listed.
    if (path.empty() && std::any_of(findings_.skipped.begin(), findings_.skipped.end(),
                                    [&](const Skipped& s) { return s.reason == reason; }))
      return;
    if (findings_.skipped.size() < kMostFiles)
      findings_.skipped.push_back({std::move(path), std::move(reason)});
  }

  ports::SourceTree& tree_;
  const ReadOptions& options_;
  Findings findings_;
  FileReader files_;
  std::size_t files_seen_ = 0;
  std::set<std::string, std::less<>> seen_;  // whether read or not
};

}  // namespace

std::string_view name(Stage stage) {
  constexpr std::string_view kNames[kStages] = {"front_matter", "markdown_ast", "rest",   "bibtex",
                                                "config_json",  "citation",     "results"};
  return kNames[static_cast<std::size_t>(stage)];
}

Expected<Findings> read_tree(ports::SourceTree& tree, const ReadOptions& options) {
  return TreeReader(tree, options).run();
}

}  // namespace tanggul::sync
