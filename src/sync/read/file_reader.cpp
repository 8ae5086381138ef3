#include "sync/read/file_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/bytes.h"
#include "base/utf8.h"
#include "readers/arxiv/finder.h"
#include "readers/document/document.h"
#include "readers/markup/line.h"
#include "readers/metadata/citation_cff.h"
#include "readers/metadata/codemeta.h"
#include "readers/metadata/config_json.h"
#include "readers/metadata/eval_results.h"
#include "readers/metadata/front_matter.h"
#include "readers/metadata/pwc_model_index.h"
#include "readers/metadata/yaml.h"

namespace tanggul::sync {
namespace {

using readers::EvidenceKind;
using readers::Mention;
using readers::Sign;

constexpr std::size_t kMostTables = 500, kMostRows = 50'000, kLeastRowBytes = 2 << 20,
                      kLongestText = 1024, kMostModels = 100, kMostDefects = 1000;

// Where the front matter of a card lies: "---" as the first line that is not empty, to the next
// such line (huggingface_hub's pattern).
struct FrontMatter {
  std::size_t begin, end, rest;  // of the YAML, and where the document goes on
  std::uint32_t line;            // of the YAML's first line
};
std::optional<FrontMatter> find_front_matter(std::string_view text) {
  std::string_view rest = text;
  std::uint32_t line = 1;
  std::string_view first;
  while (!rest.empty() && readers::is_blank(first)) first = readers::take_line(rest), ++line;
  if (readers::trim(first) != "---") return std::nullopt;
  FrontMatter found{text.size() - rest.size(), 0, 0, line};
  while (!rest.empty()) {
    const std::size_t at = text.size() - rest.size();
    const std::string_view here = readers::take_line(rest);
    if (!here.starts_with("---") || readers::trim(here) != "---") continue;
    found.end = at, found.rest = text.size() - rest.size();
    return found;
  }
  return std::nullopt;
}

// "license: mit"
bool begins_with_a_key(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon > 80) return false;
  if (colon + 1 < line.size() && line[colon + 1] != ' ' && line[colon + 1] != '\t') return false;
  return line.substr(0, colon).find_first_of("*[<`") == std::string_view::npos;
}

// A thematic break may be the first line too: YAML begins with a key, a comment or a list.
bool looks_like_yaml(std::string_view yaml) {
  while (!yaml.empty()) {
    const std::string_view line = readers::take_line(yaml);
    if (readers::is_blank(line)) continue;
    const std::string_view first = readers::trim(line);
    if (first.starts_with('#') && !first.starts_with("##")) continue;
    return first.starts_with("- ") || first.starts_with('{') || begins_with_a_key(first);
  }
  return true;
}

// "---" first, at once a key as cards have them, and no further "---".
bool begins_unclosed_front_matter(std::string_view text) {
  std::string_view first;
  while (!text.empty() && readers::is_blank(first)) first = readers::take_line(text);
  const std::string_view second = readers::take_line(text);
  return readers::trim(first) == "---" && begins_with_a_key(second) &&
         second.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == second.find(':');
}

// YAML's comments are not part of what it says.
std::string without_yaml_comments(std::string_view yaml) {
  std::string out(yaml);
  char quote = 0, before = '\n';
  bool comment = false;
  for (char& c : out) {
    if (c == '\n') comment = false, quote = 0;
    if (quote == 0 && c == '#' && (before == '\n' || before == ' ' || before == '\t'))
      comment = true;
    if (quote == 0 && (c == '"' || c == '\''))
      quote = before == ' ' || before == '[' || before == '{' ? c : '\0';
    else if (c == quote)
      quote = 0;
    before = c;
    if (comment) c = ' ';
  }
  return out;
}

readers::Signs signs_of(readers::Reference::Role role) {
  if (role == readers::Reference::Role::own) return static_cast<readers::Signs>(Sign::declared);
  if (role == readers::Reference::Role::cited) return static_cast<readers::Signs>(Sign::cited);
  return 0;
}

bool speaks_of_arxiv(const readers::Reference& reference) {
  const std::string field = to_lower(reference.field);
  return field.find("arxiv") != std::string::npos || field.find("eprint") != std::string::npos;
}

}  // namespace

Stage stage_of(FileKind kind) {
  switch (kind) {
    case FileKind::rest:
      return Stage::rest;
    case FileKind::bibtex:
    case FileKind::citation_bibtex:
      return Stage::bibtex;
    case FileKind::config_json:
      return Stage::config_json;
    case FileKind::citation_cff:
    case FileKind::codemeta:
      return Stage::citation;
    case FileKind::model_index:
    case FileKind::eval_results:
      return Stage::results;
    default:
      return Stage::markdown_ast;
  }
}

// What a document says goes where it belongs.
class FileReader::Document final : public readers::DocumentSink {
 public:
  Document(FileReader& reader, const Candidate& candidate)
      : reader_(reader), candidate_(candidate) {}

  void mention(const Mention& mention) override {
    reader_.ledger_.add(candidate_.file.path, mention, candidate_.primary);
  }
  bool enough(std::string_view id) const override { return reader_.ledger_.enough(id); }
  void result_table(readers::ResultTable table) override {
    auto& tables = reader_.findings_.result_tables;
    if (tables.size() < kMostTables)
      tables.push_back({candidate_.file.path, std::move(table)});
    else
      ++reader_.tables_left_out_;
  }
  // Together they may be as long as a file of one.
  void model_index(std::string_view yaml, std::uint32_t line) override {
    if (yaml.size() > yaml_left_) {
      if (!std::exchange(told_, true))
        reader_.findings_.errors.push_back(
            {Stage::results, candidate_.file.path,
             fmt::format("line {}: more than 256 KiB of model indexes in comments", line)});
      return;
    }
    yaml_left_ -= yaml.size();
    reader_.metadata(candidate_.file.path, Stage::results, EvidenceKind::model_index,
                     readers::read_pwc_model_index(yaml, line), yaml, line, candidate_.primary);
  }
  void defect(std::uint32_t line, std::string_view message) override {
    auto& defects = reader_.findings_.defects;
    if (defects.size() < kMostDefects)
      defects.push_back(
          {stage_of(candidate_.kind), candidate_.file.path, line, std::string(message)});
  }

 private:
  FileReader& reader_;
  const Candidate& candidate_;
  std::size_t yaml_left_ = readers::kMostYaml;
  bool told_ = false;  // that there are more
};

void FileReader::read(const Candidate& candidate, std::string_view text) {
  const std::string& file = candidate.file.path;
  const auto take = [&](EvidenceKind kind, readers::Metadata found) {
    metadata(file, stage_of(candidate.kind), kind, std::move(found), text, 1, true);
  };
  switch (candidate.kind) {
    case FileKind::config_json:
      return take(EvidenceKind::text, readers::read_config_json(text));
    case FileKind::citation_cff:
      return take(EvidenceKind::citation, readers::read_citation_cff(text));
    case FileKind::codemeta:
      return take(EvidenceKind::codemeta, readers::read_codemeta(text));
    case FileKind::model_index:
      return take(EvidenceKind::model_index, readers::read_pwc_model_index(text, 1));
    case FileKind::eval_results:
      return take(EvidenceKind::model_index, readers::read_eval_results(text));
    default:
      return document(candidate, text);
  }
}

void FileReader::document(const Candidate& candidate, std::string_view text) {
  Document sink(*this, candidate);
  switch (candidate.kind) {
    case FileKind::rest:
      return readers::read_rest(text, latest_, sink);
    case FileKind::plain:
      return readers::read_plain(text, latest_, sink);
    case FileKind::bibtex:
    case FileKind::citation_bibtex:
      return readers::read_bibtex_file(text, candidate.kind == FileKind::citation_bibtex, latest_,
                                       sink);
    default:
      break;
  }
  std::uint32_t first_line = 1;
  const std::string_view body = front_matter(candidate, text, first_line);
  readers::read_markdown(body, first_line, latest_, sink);
}

// Reads it if there is one, and gives what stands behind it.
std::string_view FileReader::front_matter(const Candidate& candidate, std::string_view text,
                                          std::uint32_t& first_line) {
  const auto found = find_front_matter(text);
  if (!found) {
    if (begins_unclosed_front_matter(text))
      findings_.defects.push_back(
          {Stage::front_matter, candidate.file.path, 1, "front matter without an end"});
    return text;
  }
  const std::string_view yaml = text.substr(found->begin, found->end - found->begin);
  if (!looks_like_yaml(yaml)) return text;
  metadata(candidate.file.path, Stage::front_matter, EvidenceKind::front_matter,
           readers::read_front_matter(yaml, found->line), yaml, found->line, candidate.primary);
  first_line =
      found->line + static_cast<std::uint32_t>(std::count(yaml.begin(), yaml.end(), '\n')) + 1;
  return text.substr(found->rest);
}

void FileReader::metadata(const std::string& file, Stage stage, EvidenceKind kind,
                          readers::Metadata found, std::string_view text, std::uint32_t first_line,
                          bool primary) {
  if (found.error) findings_.errors.push_back({stage, file, *found.error});
  for (readers::Defect& defect : found.defects)
    if (findings_.defects.size() < kMostDefects)
      findings_.defects.push_back({stage, file, defect.line, std::move(defect.message)});
  for (const std::string& path : found.imports) import(file, path);
  references(file, kind, found, text, first_line, primary);
  if (found.model) {
    if (!findings_.model)
      findings_.model = {file, std::move(*found.model)};
    else if (findings_.other_models.size() < kMostModels)
      findings_.other_models.push_back({file, std::move(*found.model)});
  }
  for (readers::ModelIndexRow& row : found.rows) take(file, std::move(row));
}

void FileReader::take(const std::string& file, readers::ModelIndexRow row) {
  std::size_t bytes = file.size() + sizeof row;
  for (std::string* text : {&row.model, &row.task, &row.task_name, &row.dataset, &row.dataset_name,
                            &row.config, &row.split, &row.revision, &row.metric, &row.metric_name,
                            &row.value.text, &row.source_url, &row.source_name}) {
    if (text->size() > kLongestText) *text = std::string(utf8_prefix(*text, kLongestText));
    bytes += text->size();
  }
  if (findings_.model_index.size() >= kMostRows ||
      row_bytes_ + bytes > kLeastRowBytes + 4 * findings_.bytes_read) {
    ++rows_left_out_;
    return;
  }
  row_bytes_ += bytes;
  findings_.model_index.push_back({file, std::move(row)});
}

// Identifiers in the fields that name works, then all others of the text.
void FileReader::references(const std::string& file, EvidenceKind kind,
                            const readers::Metadata& found, std::string_view text,
                            std::uint32_t first_line, bool primary) {
  std::set<std::string> named;
  for (const readers::Reference& reference : found.references) {
    std::vector<readers::arxiv::Id> ids;
    readers::arxiv::find(reference.text, latest_, [&ids](readers::arxiv::Found&& found) {
      ids.push_back(std::move(found.id));
      return ids.size() < 16;
    });
    if (ids.empty() && speaks_of_arxiv(reference))
      if (auto id = readers::arxiv::parse(reference.text, latest_)) ids.push_back(std::move(*id));
    for (readers::arxiv::Id& id : ids) {
      named.insert(id.canonical);
      ledger_.add(
          file,
          {std::move(id), reference.line, kind,
           reference.field + ": " + reference.text.substr(0, 140), signs_of(reference.role)},
          primary);
    }
  }
  struct Rest final : readers::DocumentSink {
    Rest(readers::Ledger& l, const std::string& f, const std::set<std::string>& n, bool p)
        : ledger(l), file(f), named(n), primary(p) {}
    void mention(const Mention& m) override {
      if (!named.contains(m.id.canonical)) ledger.add(file, m, primary);
    }
    bool enough(std::string_view id) const override { return ledger.enough(id); }
    void result_table(readers::ResultTable) override {}
    void model_index(std::string_view, std::uint32_t) override {}
    void defect(std::uint32_t, std::string_view) override {}
    readers::Ledger& ledger;
    const std::string& file;
    const std::set<std::string>& named;
    bool primary;
  } rest(ledger_, file, named, primary);
  const bool json = kind == EvidenceKind::codemeta || kind == EvidenceKind::text;  // config.json
  const std::string yaml = json ? std::string() : without_yaml_comments(text);
  readers::read_identifiers(json ? text : yaml, first_line, kind, 0, latest_, rest);
}

// Relative to the file that names it, and never out of the tree.
void FileReader::import(const std::string& file, std::string_view path) {
  std::vector<std::string> parts;
  const std::string whole = path.starts_with('/')
                                ? std::string(path)
                                : file.substr(0, file.rfind('/') + 1) + std::string(path);
  for (std::size_t at = 0; at <= whole.size();) {
    const std::size_t end = std::min(whole.find('/', at), whole.size());
    const std::string part = whole.substr(at, end - at);
    if (part == ".." && parts.empty()) return;
    if (part == "..")
      parts.pop_back();
    else if (!part.empty() && part != ".")
      parts.push_back(part);
    at = end + 1;
  }
  std::string clean;
  for (const std::string& part : parts) clean += (clean.empty() ? "" : "/") + part;
  if (!clean.empty() && imports_.size() < kMostModels * 10) imports_.push_back(std::move(clean));
}

void FileReader::finish() {
  const auto tell = [this](Stage stage, std::uint64_t left_out, std::string_view what,
                           std::size_t most) {
    if (left_out == 0) return;
    findings_.errors.push_back({stage, "",
                                "more than " + std::to_string(most) + " " + std::string(what) +
                                    ": " + std::to_string(left_out) + " are left out"});
  };
  tell(Stage::markdown_ast, ledger_.left_out(), "papers; mentions of others",
       readers::Ledger::kMostPapers);
  tell(Stage::results, tables_left_out_, "result tables", kMostTables);
  tell(Stage::results, rows_left_out_,
       "rows of model indexes, or than four times the bytes that were read", kMostRows);
  findings_.papers = ledger_.take_papers();
}

}  // namespace tanggul::sync
