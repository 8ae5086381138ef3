#include "sync/catalog/schema.h"

#include <fmt/format.h>

#include <array>

#include "sync/catalog/cells.h"
#include "sync/catalog/statements.h"

namespace tanggul::sync {
namespace {

// Text that is compared or sorted is so by its bytes, on both engines: BINARY is SQLite's name for
// that, and PostgreSQL is taught it.
constexpr std::string_view kTeachPostgres =
    R"(CREATE COLLATION IF NOT EXISTS "BINARY" (provider = libc, locale = 'C');)";

constexpr std::string_view kFirst = R"(
CREATE TABLE counters(name text PRIMARY KEY, value bigint NOT NULL);
INSERT INTO counters(name, value) VALUES ('acceptance', 0);

CREATE TABLE releases(
  name text COLLATE "BINARY" PRIMARY KEY,
  track text NOT NULL,
  first_seen bigint NOT NULL,
  accepted bigint NOT NULL,
  accepted_order bigint NOT NULL);

CREATE TABLE repositories(
  id bigint PRIMARY KEY,
  url text COLLATE "BINARY" NOT NULL UNIQUE,
  forge text COLLATE "BINARY" NOT NULL,
  forge_id bigint,
  name text COLLATE "BINARY" NOT NULL,
  description text COLLATE "BINARY" NOT NULL,
  default_branch text NOT NULL,
  size bigint,
  first_seen bigint NOT NULL,
  last_visit bigint,
  next_visit bigint,
  unchanged bigint NOT NULL,
  UNIQUE(forge, forge_id));
CREATE INDEX repositories_due ON repositories(next_visit);

CREATE TABLE aliases(
  url text COLLATE "BINARY" PRIMARY KEY,
  repository bigint NOT NULL REFERENCES repositories(id));
CREATE INDEX aliases_of ON aliases(repository);

CREATE TABLE papers(
  arxiv text COLLATE "BINARY" PRIMARY KEY,
  title text COLLATE "BINARY",
  authors text,
  published bigint,
  fetched_at bigint);

CREATE TABLE heads(
  repository bigint NOT NULL REFERENCES repositories(id),
  commit_id text COLLATE "BINARY" NOT NULL,
  last_seen bigint NOT NULL,
  PRIMARY KEY(repository, commit_id));

CREATE TABLE snapshots(
  id bigint PRIMARY KEY,
  repository bigint NOT NULL REFERENCES repositories(id),
  commit_id text COLLATE "BINARY" NOT NULL,
  release text COLLATE "BINARY" NOT NULL REFERENCES releases(name),
  files_read bigint NOT NULL,
  bytes_read bigint NOT NULL,
  truncated text NOT NULL,
  skipped text NOT NULL,
  errors text NOT NULL,
  defects text NOT NULL,
  UNIQUE(repository, commit_id, release));

CREATE TABLE links(
  snapshot bigint NOT NULL REFERENCES snapshots(id),
  place bigint NOT NULL,
  paper text COLLATE "BINARY" NOT NULL,
  version bigint,
  own bigint NOT NULL,
  score double precision NOT NULL,
  mentions bigint NOT NULL,
  reasons text NOT NULL,
  evidence text NOT NULL,
  file text NOT NULL,
  line bigint NOT NULL,
  PRIMARY KEY(snapshot, place));
CREATE INDEX links_to ON links(paper);

CREATE TABLE result_tables(
  snapshot bigint NOT NULL REFERENCES snapshots(id),
  place bigint NOT NULL,
  file text NOT NULL,
  line bigint NOT NULL,
  syntax text NOT NULL,
  headings text NOT NULL,
  column_names text NOT NULL,
  cells text NOT NULL,
  PRIMARY KEY(snapshot, place));

CREATE TABLE results(
  snapshot bigint NOT NULL REFERENCES snapshots(id),
  place bigint NOT NULL,
  table_place bigint NOT NULL,
  row_at bigint NOT NULL,
  column_at bigint NOT NULL,
  subject text COLLATE "BINARY" NOT NULL,
  task text COLLATE "BINARY" NOT NULL,
  dataset text COLLATE "BINARY" NOT NULL,
  metric text COLLATE "BINARY" NOT NULL,
  value text NOT NULL,
  number double precision,
  measured bigint NOT NULL,
  PRIMARY KEY(snapshot, place));

CREATE TABLE model_rows(
  snapshot bigint NOT NULL REFERENCES snapshots(id),
  place bigint NOT NULL,
  model text COLLATE "BINARY" NOT NULL,
  task text COLLATE "BINARY" NOT NULL,
  task_name text COLLATE "BINARY" NOT NULL,
  dataset text COLLATE "BINARY" NOT NULL,
  dataset_name text COLLATE "BINARY" NOT NULL,
  config text NOT NULL,
  split text NOT NULL,
  revision text NOT NULL,
  metric text COLLATE "BINARY" NOT NULL,
  metric_name text COLLATE "BINARY" NOT NULL,
  value text NOT NULL,
  number double precision,
  verified bigint NOT NULL,
  source_url text NOT NULL,
  source_name text NOT NULL,
  file text NOT NULL,
  line bigint NOT NULL,
  PRIMARY KEY(snapshot, place));

CREATE TABLE models(
  snapshot bigint NOT NULL REFERENCES snapshots(id),
  place bigint NOT NULL,
  main bigint NOT NULL,
  file text NOT NULL,
  architectures text NOT NULL,
  model_type text COLLATE "BINARY" NOT NULL,
  class_name text COLLATE "BINARY" NOT NULL,
  name_or_path text COLLATE "BINARY" NOT NULL,
  torch_dtype text NOT NULL,
  transformers_version text NOT NULL,
  hidden_size bigint,
  num_hidden_layers bigint,
  vocab_size bigint,
  PRIMARY KEY(snapshot, place));

CREATE TABLE visits(
  repository bigint NOT NULL REFERENCES repositories(id),
  number bigint NOT NULL,
  at bigint NOT NULL,
  outcome text NOT NULL,
  commit_id text NOT NULL,
  release text NOT NULL,
  detail text NOT NULL,
  PRIMARY KEY(repository, number));

CREATE TABLE tombstones(
  repository bigint PRIMARY KEY REFERENCES repositories(id),
  reason text NOT NULL,
  detail text NOT NULL,
  release text NOT NULL,
  at bigint NOT NULL,
  lifted_at bigint);
CREATE INDEX tombstones_recent ON tombstones(at);

CREATE VIEW accepted_snapshots AS
  SELECT s.id, s.repository, s.commit_id, s.release, h.last_seen, r.accepted_order
  FROM snapshots s
  JOIN heads h ON h.repository = s.repository AND h.commit_id = s.commit_id
  JOIN releases r ON r.name = s.release
  WHERE r.accepted = 1;

CREATE VIEW current_snapshots AS
  SELECT s.id, s.repository, s.commit_id, s.release, s.last_seen
  FROM accepted_snapshots s
  WHERE NOT EXISTS (
    SELECT 1 FROM accepted_snapshots t
    WHERE t.repository = s.repository
      AND (t.last_seen, t.commit_id, t.accepted_order)
        > (s.last_seen, s.commit_id, s.accepted_order));

CREATE VIEW current_links AS
  SELECT r.id AS repository, r.url, c.commit_id, c.release, l.snapshot, l.place, l.paper, l.version,
    l.own, l.score, l.mentions, l.reasons, l.evidence, l.file, l.line
  FROM links l
  JOIN current_snapshots c ON c.id = l.snapshot
  JOIN repositories r ON r.id = c.repository;

CREATE VIEW current_result_tables AS
  SELECT r.id AS repository, r.url, c.commit_id, c.release, t.snapshot, t.place, t.file, t.line,
    t.syntax, t.headings, t.column_names, t.cells
  FROM result_tables t
  JOIN current_snapshots c ON c.id = t.snapshot
  JOIN repositories r ON r.id = c.repository;

CREATE VIEW current_results AS
  SELECT r.id AS repository, r.url, c.commit_id, c.release, v.snapshot, v.place, v.table_place,
    v.row_at, v.column_at, v.subject, v.task, v.dataset, v.metric, v.value, v.number, v.measured
  FROM results v
  JOIN current_snapshots c ON c.id = v.snapshot
  JOIN repositories r ON r.id = c.repository;

CREATE VIEW current_model_rows AS
  SELECT r.id AS repository, r.url, c.commit_id, c.release, m.snapshot, m.place, m.model, m.task,
    m.task_name, m.dataset, m.dataset_name, m.config, m.split, m.revision, m.metric, m.metric_name,
    m.value, m.number, m.verified, m.source_url, m.source_name, m.file, m.line
  FROM model_rows m
  JOIN current_snapshots c ON c.id = m.snapshot
  JOIN repositories r ON r.id = c.repository;

CREATE VIEW current_models AS
  SELECT r.id AS repository, r.url, c.commit_id, c.release, m.snapshot, m.place, m.main, m.file,
    m.architectures, m.model_type, m.class_name, m.name_or_path, m.torch_dtype,
    m.transformers_version, m.hidden_size, m.num_hidden_layers, m.vocab_size
  FROM models m
  JOIN current_snapshots c ON c.id = m.snapshot
  JOIN repositories r ON r.id = c.repository;
)";

// The schema's versions in order: what was once released is never changed, only added to.
constexpr std::array<std::string_view, kSchemaVersion> kMigrations{kFirst};

// One after another: whoever comes second finds it done. SQLite has one writer anyway.
constexpr std::string_view kLockPostgres = "SELECT pg_advisory_xact_lock(7449641530)";

Expected<std::int64_t> begin(ports::SqlSession& session) {
  const bool postgres = session.dialect() == ports::SqlDialect::postgres;
  Statements db(session);
  if (postgres) db.run(kLockPostgres, {});
  db.run("CREATE TABLE IF NOT EXISTS catalog_version(version bigint NOT NULL)", {});
  const auto row = db.one("SELECT max(version) FROM catalog_version", {});
  if (auto ended = db.ended(); !ended) return ended.error();
  const std::int64_t version = row ? whole_of((*row)[0]) : 0;
  if (version > kSchemaVersion)
    return Failure{Errc::refused, fmt::format("the catalog has version {} of its schema, and this "
                                              "program knows {}: use a newer one",
                                              version, kSchemaVersion)};
  if (version == 0 && postgres)
    if (auto taught = session.script(kTeachPostgres); !taught) return taught.error();
  return version;
}

// The next version, if there is one; false: it is up to date.
Expected<bool> step(ports::SqlSession& session) {
  const auto version = begin(session);
  if (!version) return version.error();
  if (*version >= kSchemaVersion) return false;
  if (auto done = session.script(kMigrations[static_cast<std::size_t>(*version)]); !done)
    return done.error();
  Statements db(session);
  db.run("INSERT INTO catalog_version(version) VALUES ($1)", {*version + 1});
  if (auto ended = db.ended(); !ended) return ended.error();
  return true;
}

// Without a lock: who only reads waits for nobody who writes. A table that is not there is a
// failure of a statement like any other.
bool is_up_to_date(ports::SqlSession& session) {
  Statements db(session);
  const auto row = db.one("SELECT max(version) FROM catalog_version", {});
  return row && whole_of((*row)[0]) == kSchemaVersion;
}

}  // namespace

Expected<void> migrate(ports::SqlSession& session) {
  if (is_up_to_date(session)) return {};
  for (bool more = true; more;) {
    auto done = session.transaction([&]() -> Expected<void> {
      const auto stepped = step(session);
      if (!stepped) return stepped.error();
      more = *stepped;
      return {};
    });
    if (!done) return done;
  }
  return {};
}

}  // namespace tanggul::sync
