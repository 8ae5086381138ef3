#include "sync/read/candidate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "base/bytes.h"

namespace tanggul::sync {
namespace {

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::size_t depth(std::string_view path) {
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

template <std::size_t N>
bool among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool in_foreign_folder(std::string_view path) {
  static constexpr std::array<std::string_view, 12> kForeign = {
      "node_modules", "third_party",   "third-party", "thirdparty", "vendor", "external",
      "externals",    "site-packages", ".venv",       "venv",       ".git",   "bower_components"};
  for (std::size_t at = 0, slash; (slash = path.find('/', at)) != std::string_view::npos;
       at = slash + 1)
    if (among(to_lower(path.substr(at, slash - at)), kForeign)) return true;
  return false;
}

std::string_view extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot + 1);
}

constexpr std::array<std::string_view, 6> kMarkdown = {"md",  "markdown", "mdown",
                                                       "mkd", "mkdn",     "mdx"};

// By its whole name.
FileKind named(std::string_view name) {
  if (name == "citation.cff") return FileKind::citation_cff;
  if (name == "codemeta.json") return FileKind::codemeta;
  if (name == "config.json") return FileKind::config_json;
  if (name == "citation.bib") return FileKind::citation_bibtex;
  if (name == "model-index.yml" || name == "model-index.yaml") return FileKind::model_index;
  return FileKind::none;
}

FileKind by_extension(std::string_view name) {
  const std::string_view ending = extension(name);
  if (among(ending, kMarkdown)) return FileKind::markdown;
  if (ending == "rst" || ending == "rest") return FileKind::rest;
  if (ending == "bib") return FileKind::bibtex;
  return FileKind::none;
}

bool is_readme(std::string_view name) {
  return name.starts_with("readme") && (name.size() == 6 || !(name[6] >= 'a' && name[6] <= 'z'));
}

bool in_eval_results(std::string_view path) {
  return path.starts_with(".eval_results/") ||
         path.find("/.eval_results/") != std::string_view::npos;
}

}  // namespace

bool is_text(FileKind kind) {
  return kind == FileKind::markdown || kind == FileKind::rest || kind == FileKind::plain ||
         kind == FileKind::bibtex || kind == FileKind::citation_bibtex;
}

FileKind kind_of_path(std::string_view path) {
  if (in_foreign_folder(path)) return FileKind::none;
  const std::string name = to_lower(base_name(path));
  if (const FileKind kind = named(name); kind != FileKind::none) return kind;
  const std::string_view ending = extension(name);
  if (in_eval_results(path) && (ending == "yaml" || ending == "yml")) return FileKind::eval_results;
  if (const FileKind kind = by_extension(name); kind != FileKind::none) return kind;
  static constexpr std::array<std::string_view, 4> kPlain = {"citation", "citations", "references",
                                                             "papers"};
  const bool plain = ending.empty() || ending == "txt" ||
                     (is_readme(name) && (ending == "org" || ending == "adoc"));
  if (plain && (is_readme(name) || among(name.substr(0, name.find('.')), kPlain)))
    return FileKind::plain;
  return FileKind::none;
}

FileKind kind_of_file(std::string_view path) {
  const std::string name = to_lower(base_name(path));
  if (const FileKind kind = named(name); kind != FileKind::none) return kind;
  const std::string_view ending = extension(name);
  if (name.ends_with("codemeta.json")) return FileKind::codemeta;
  if (ending == "json") return FileKind::config_json;
  if (ending == "cff") return FileKind::citation_cff;
  if (ending == "yml" || ending == "yaml")
    return in_eval_results(path) ? FileKind::eval_results : FileKind::model_index;
  const FileKind kind = by_extension(name);
  return kind == FileKind::none ? FileKind::plain : kind;
}

std::vector<Candidate> in_order(std::vector<Candidate> all) {
  const auto is_document = [](const Candidate& candidate) {
    return candidate.kind == FileKind::markdown || candidate.kind == FileKind::rest ||
           candidate.kind == FileKind::plain;
  };
  // GitHub shows one of these, the first that there is; here the root's comes first.
  static constexpr std::string_view kShown[] = {"", ".github/", "docs/"};
  const auto shown_in = [](const Candidate& candidate) -> std::size_t {
    const std::string_view path = candidate.file.path;
    const std::string_view folder = path.substr(0, path.size() - base_name(path).size());
    if (!is_readme(to_lower(base_name(path)))) return std::size(kShown);
    return static_cast<std::size_t>(std::find(std::begin(kShown), std::end(kShown), folder) -
                                    std::begin(kShown));
  };
  std::size_t nearest = SIZE_MAX, shown = std::size(kShown);
  for (const Candidate& candidate : all) {
    if (!is_document(candidate)) continue;
    nearest = std::min(nearest, depth(candidate.file.path));
    shown = std::min(shown, shown_in(candidate));
  }
  for (Candidate& candidate : all) {
    const bool speaks = shown == std::size(kShown) ? depth(candidate.file.path) == nearest
                                                   : shown_in(candidate) == shown;
    candidate.primary = is_document(candidate) && speaks;
  }
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return std::make_tuple(!a.primary, depth(a.file.path), std::string_view(a.file.path)) <
           std::make_tuple(!b.primary, depth(b.file.path), std::string_view(b.file.path));
  });
  return all;
}

}  // namespace tanggul::sync
