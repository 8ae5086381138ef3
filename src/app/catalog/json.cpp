#include "app/catalog/json.h"

#include <ostream>

#include "base/json_writer.h"
#include "sync/catalog/cells.h"
#include "sync/catalog/export_tables.h"

namespace tanggul::app {
namespace {

void put_time(JsonWriter& json, std::string_view name, const std::optional<WallTime>& time) {
  json.key(name);
  time ? json.string(sync::rfc3339(*time)) : json.null();
}
void put_text(JsonWriter& json, std::string_view name, const std::optional<std::string>& text) {
  json.key(name);
  text && !text->empty() ? json.string(*text) : json.null();
}
void put_whole(JsonWriter& json, std::string_view name, const std::optional<std::int64_t>& whole) {
  json.key(name);
  whole ? json.number_text(std::to_string(*whole)) : json.null();
}

void put_link(JsonWriter& json, const sync::PaperLink& link) {
  json.begin_object().field("url", link.url).key("own").boolean(link.own);
  json.key("score").number(link.score);
  put_whole(json, "version", link.version > 0 ? std::optional(link.version) : std::nullopt);
  put_whole(json, "mentions", link.mentions);
  json.key("reasons").json_text(link.reasons_json);
  json.key("evidence").json_text(link.evidence_json);
  json.field("commit", link.commit).field("release", link.release);
  put_text(json, "gone", link.gone);
  json.end_object();
}

void put_facts(JsonWriter& json, const sync::RepositoryRecord& repository) {
  const sync::RepositoryFacts& facts = repository.facts;
  json.field("url", facts.url);
  put_text(json, "forge", facts.forge);
  put_whole(json, "forge_id", facts.forge_id);
  put_text(json, "name", facts.name);
  put_text(json, "description", facts.description);
  put_text(json, "default_branch", facts.default_branch);
  put_whole(json, "size", facts.size);
  json.key("aliases").begin_array();
  for (const std::string& url : repository.aliases) json.string(url);
  json.end_array();
  put_time(json, "first_seen", repository.first_seen);
  put_time(json, "last_visit", repository.last_visit);
  put_time(json, "next_visit", repository.next_visit);
}

void put_tombstone(JsonWriter& json, const std::optional<sync::Tombstone>& tombstone) {
  json.key("tombstone");
  if (!tombstone) {
    json.null();
    return;
  }
  json.begin_object().field("reason", tombstone->reason).field("detail", tombstone->detail);
  put_text(json, "release", tombstone->release);
  put_time(json, "at", tombstone->at);
  put_time(json, "lifted_at", tombstone->lifted_at);
  json.end_object();
}

void put_snapshot(JsonWriter& json, const sync::SnapshotRecord& snapshot) {
  json.begin_object().field("commit", snapshot.commit).field("release", snapshot.release);
  put_text(json, "track", snapshot.track);
  json.key("accepted").boolean(snapshot.accepted).key("current").boolean(snapshot.current);
  put_time(json, "last_seen", snapshot.last_seen);
  put_whole(json, "files_read", snapshot.files_read);
  put_whole(json, "bytes_read", snapshot.bytes_read);
  put_whole(json, "links", snapshot.links);
  put_whole(json, "results", snapshot.results);
  json.end_object();
}

void put_visit(JsonWriter& json, const sync::VisitRecord& visit) {
  json.begin_object();
  put_time(json, "at", visit.at);
  json.field("outcome", visit.outcome);
  put_text(json, "commit", visit.commit);
  put_text(json, "release", visit.release);
  put_text(json, "detail", visit.detail);
  json.end_object();
}

// The rows of a table that are the repository's, which it need not name in each.
Expected<void> put_rows(JsonWriter& json, sync::Catalog& catalog, const sync::ExportTable& table,
                        std::int64_t repository) {
  json.key(table.name).begin_array();
  const auto put = [&](const ports::SqlRow& row) {
    json.begin_object();
    for (std::size_t i = 1; i < table.columns.size(); ++i) {
      json.key(table.columns[i].name);
      sync::put_json(json, table.columns[i].kind, row[i]);
    }
    json.end_object();
  };
  const auto ran = catalog.session().run(sync::select_of(table, true), {repository}, put);
  json.end_array();
  if (!ran) return ran.error();
  return {};
}

void end_line(JsonWriter& json, std::ostream& out) {
  json.flush();
  out << '\n';
}

}  // namespace

void put_paper_json(const sync::PaperRecord& paper, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object().field("arxiv", paper.arxiv);
  put_text(json, "title", paper.title);
  json.key("authors");
  paper.authors_json ? json.json_text(*paper.authors_json) : json.null();
  put_time(json, "published", paper.published);
  put_whole(json, "repositories", paper.repositories);
  json.key("links").begin_array();
  for (const sync::PaperLink& link : paper.links) put_link(json, link);
  json.end_array().end_object();
  end_line(json, out);
}

void put_hits_json(const std::vector<sync::Hit>& hits, std::ostream& out) {
  JsonWriter json(out);
  json.begin_array();
  for (const sync::Hit& hit : hits) {
    const bool named_by = hit.kind == "model" || hit.kind == "dataset";
    json.begin_object().field("kind", hit.kind).field("id", hit.id);
    put_text(json,
             named_by              ? "repository"
             : hit.kind == "paper" ? "title"
                                   : "description",
             hit.text);
    json.end_object();
  }
  json.end_array();
  end_line(json, out);
}

Expected<void> put_repository_json(sync::Catalog& catalog, const sync::RepositoryRecord& repository,
                                   std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  put_facts(json, repository);
  put_tombstone(json, repository.tombstone);
  json.key("snapshots").begin_array();
  for (const sync::SnapshotRecord& snapshot : repository.snapshots) put_snapshot(json, snapshot);
  json.end_array().key("visits").begin_array();
  for (const sync::VisitRecord& visit : repository.visits) put_visit(json, visit);
  json.end_array();
  for (const char* name : {"links", "result_tables", "results", "model_index", "models"})
    if (auto put = put_rows(json, catalog, *sync::find_export_table(name), repository.id); !put)
      return put;
  json.end_object();
  end_line(json, out);
  return {};
}

}  // namespace tanggul::app
