#include "app/catalog/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "app/terminal/text_table.h"
#include "base/bytes.h"
#include "sync/catalog/cells.h"
#include "sync/catalog/export_tables.h"

namespace tanggul::app {
namespace {

using ports::SqlRow;

constexpr std::size_t kMostLines = 50, kWidth = 110, kLongText = 60;
constexpr const char *kBold = "\x1b[1m", *kGreen = "\x1b[32m", *kYellow = "\x1b[33m",
                     *kRed = "\x1b[31m";

std::string shown(const std::string& text, std::size_t width = kLongText) {
  return cut(printable(text), width);
}
std::string short_commit(const std::string& commit) { return printable(commit.substr(0, 12)); }
std::string shown(const std::optional<WallTime>& time) {
  return time ? sync::rfc3339(*time) : "never";
}

std::string heading(std::string_view name, std::size_t count, bool colour) {
  return fmt::format("\n{}\n", painted(fmt::format("{} ({})", name, count), kBold, colour));
}
std::string more(std::size_t count) {
  if (count <= kMostLines) return "";
  return fmt::format("  … and {} more (--json prints all)\n", count - kMostLines);
}

// A table of a repository's rows, of which the first are shown.
class Rows {
 public:
  Rows(std::string_view name, Row head, std::size_t left)
      : name_(name), table_(std::move(head), left) {}

  void add(Row row) {
    if (++count_ <= kMostLines) table_.add(std::move(row));
  }
  std::string text(bool colour) const {
    if (count_ == 0) return "";
    return heading(name_, count_, colour) + table_.text(kWidth, colour) + more(count_);
  }

 private:
  const std::string_view name_;
  TextTable table_;
  std::size_t count_ = 0;
};

Cell whose(bool own) { return {own ? "own" : "cited", own ? kGreen : ""}; }

Expected<std::string> rows_text(sync::Catalog& catalog, std::string_view select,
                                std::int64_t repository, Rows rows,
                                const std::function<Row(const SqlRow&)>& put, bool colour) {
  const auto ran =
      catalog.session().run(select, {repository}, [&](const SqlRow& row) { rows.add(put(row)); });
  if (!ran) return ran.error();
  return rows.text(colour);
}

std::string facts_text(const sync::RepositoryRecord& repository, bool colour) {
  std::string out = painted(printable(repository.facts.url), kBold, colour) + "\n";
  const std::string description = repository.facts.description.value_or("");
  if (!description.empty()) out += "  " + shown(description, kWidth - 2) + "\n";
  for (const std::string& url : repository.aliases)
    out += fmt::format("  formerly {}\n", printable(url));
  out +=
      fmt::format("  first seen {}, last visited {}, next visit {}\n", shown(repository.first_seen),
                  shown(repository.last_visit), shown(repository.next_visit));
  if (const auto& tombstone = repository.tombstone) {
    const std::string text =
        fmt::format("  {} since {}{}{}", shown(tombstone->reason), shown(tombstone->at),
                    tombstone->detail.empty() ? "" : ": ", shown(tombstone->detail));
    out += tombstone->lifted_at ? fmt::format("{}, until {}\n", text, shown(tombstone->lifted_at))
                                : painted(text, kRed, colour) + "\n";
  }
  return out;
}

std::string snapshots_text(const sync::RepositoryRecord& repository, bool colour) {
  Rows rows(
      "read",
      {{"commit"}, {"release"}, {"counts"}, {"last seen"}, {"files"}, {"papers"}, {"results"}}, 4);
  for (const sync::SnapshotRecord& s : repository.snapshots)
    rows.add({{short_commit(s.commit)},
              {shown(s.release, 24)},
              {s.current    ? "now"
               : s.accepted ? "older"
                            : "not accepted",
               s.current    ? kGreen
               : s.accepted ? ""
                            : kYellow},
              {shown(s.last_seen)},
              {std::to_string(s.files_read)},
              {std::to_string(s.links)},
              {std::to_string(s.results)}});
  return rows.text(colour);
}

std::string visits_text(const sync::RepositoryRecord& repository, bool colour) {
  Rows rows("visits", {{"at"}, {"outcome"}, {"commit"}, {"release"}, {"detail"}}, 5);
  for (const sync::VisitRecord& visit : repository.visits)
    rows.add({{shown(visit.at)},
              {shown(visit.outcome)},
              {short_commit(visit.commit)},
              {shown(visit.release, 24)},
              {shown(visit.detail, 40)}});
  return rows.text(colour);
}

Expected<std::string> papers_text(sync::Catalog& catalog, std::int64_t repository, bool colour) {
  return rows_text(
      catalog,
      "SELECT l.paper, l.own, coalesce(p.title, ''), l.score, l.mentions FROM current_links l "
      "LEFT JOIN papers p ON p.arxiv = l.paper WHERE l.repository = $1 ORDER BY l.place",
      repository, Rows("papers", {{"arxiv"}, {"whose"}, {"title"}, {"score"}, {"mentions"}}, 3),
      [](const SqlRow& row) {
        return Row{{shown(sync::text_of(row[0]), 24)},
                   whose(sync::whole_of(row[1]) != 0),
                   {shown(sync::text_of(row[2]))},
                   {fmt::format("{:.2f}", sync::number_of(row[3]))},
                   {std::to_string(sync::whole_of(row[4]))}};
      },
      colour);
}

Row cells_of(const SqlRow& row) {
  Row out;
  for (const ports::SqlValue& value : row) out.push_back({shown(sync::text_of(value), 28)});
  return out;
}

Expected<std::string> results_text(sync::Catalog& catalog, std::int64_t repository, bool colour) {
  return rows_text(catalog,
                   "SELECT subject, task, dataset, metric, value FROM current_results "
                   "WHERE repository = $1 AND measured = 1 ORDER BY place",
                   repository,
                   Rows("results", {{"model"}, {"task"}, {"dataset"}, {"metric"}, {"value"}}, 4),
                   cells_of, colour);
}

Expected<std::string> model_index_text(sync::Catalog& catalog, std::int64_t repository,
                                       bool colour) {
  return rows_text(
      catalog,
      "SELECT model, task, CASE WHEN dataset_name <> '' THEN dataset_name ELSE dataset END, "
      "metric, value FROM current_model_rows WHERE repository = $1 ORDER BY place",
      repository, Rows("model index", {{"model"}, {"task"}, {"dataset"}, {"metric"}, {"value"}}, 4),
      cells_of, colour);
}

}  // namespace

std::string paper_text(const sync::PaperRecord& paper, bool colour) {
  std::string out = painted("arXiv:" + printable(paper.arxiv), kBold, colour);
  if (paper.title) out += "  " + shown(*paper.title, kWidth);
  out += "\n";
  if (paper.links.empty()) return out + "no repository names it now\n";
  out += heading("repositories", static_cast<std::size_t>(paper.repositories), colour);
  TextTable table({{"repository"}, {"whose"}, {"first named in"}, {"score"}, {"mentions"}}, 3);
  for (std::size_t i = 0; i < std::min(paper.links.size(), kMostLines); ++i) {
    const sync::PaperLink& link = paper.links[i];
    const std::string place =
        link.line > 0 ? fmt::format("{}:{}", link.file, link.line) : link.file;
    table.add({{shown(link.url)},
               whose(link.own),
               {shown(place, 32)},
               {fmt::format("{:.2f}", link.score)},
               {std::to_string(link.mentions)}});
    if (!link.gone.empty()) table.note({shown(link.gone), kRed});
  }
  return out + table.text(kWidth, colour) + more(static_cast<std::size_t>(paper.repositories));
}

std::string hits_text(const std::vector<sync::Hit>& hits, bool colour) {
  if (hits.empty()) return "nothing was found\n";
  TextTable table({{"kind"}, {"name"}, {""}}, 3);
  for (const sync::Hit& hit : hits) table.add({{hit.kind}, {shown(hit.id)}, {shown(hit.text)}});
  return table.text(kWidth, colour);
}

Expected<void> put_repository_text(sync::Catalog& catalog, const sync::RepositoryRecord& repository,
                                   const Console& console) {
  console.out << facts_text(repository, console.colour)
              << snapshots_text(repository, console.colour);
  for (const auto part : {papers_text, results_text, model_index_text}) {
    const auto text = part(catalog, repository.id, console.colour);
    if (!text) return text.error();
    console.out << *text;
  }
  console.out << visits_text(repository, console.colour);
  return {};
}

}  // namespace tanggul::app
