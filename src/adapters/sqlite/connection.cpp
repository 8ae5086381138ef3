#include "adapters/sqlite/connection.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <cmath>
#include <thread>

#include "base/bytes.h"
#include "base/log.h"
#include "base/rarely.h"
#include "registry/sql/row_json.h"

namespace tanggul::sqlite {
namespace {

namespace sql = registry::sql;
using sql::Answer;

// How many instructions of its machine SQLite runs between two looks at the clock.
constexpr int kLookEvery = 10'000;
// Between two tries to read what another process has locked.
constexpr Duration kBusyPause = 2ms;

bool is_over(const Job& job) { return job.given_up || MonoClock::now() >= job.deadline; }

// pause(seconds), for trying things out.
void pause(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto& job = **static_cast<const Job**>(sqlite3_user_data(context));
  const MonoTime until = MonoClock::now() + from_seconds(sqlite3_value_double(arguments[0]));
  while (MonoClock::now() < until) {
    if (is_over(job)) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    std::this_thread::sleep_for(std::min<Duration>(5ms, until - MonoClock::now()));
  }
  sqlite3_result_int(context, 1);
}

// The shortest digits that are the same number, never without a point or an exponent.
void append_real(double value, std::string& out) {
  if (!std::isfinite(value)) {
    sql::append_string(value > 0 ? "Infinity" : "-Infinity", out);
    return;
  }
  char digits[40];
  const std::string_view text(
      digits,
      static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, value).ptr - digits));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

// "2024-02-29 12:30:00", with or without what may follow.
bool is_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00 00:00:00";
  if (text.size() < kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !digit : text[i] != kForm[i]) return false;
  }
  return true;
}

bool declared(std::string_view type, std::string_view word) {
  return to_lower(type).find(word) != std::string::npos;
}

}  // namespace

// Another file may have been moved to the place of the one that is open.
void Connection::close_if_replaced() {
  struct stat now = {};
  const bool there = ::stat(config_->file.c_str(), &now) == 0;
  if (there && now.st_dev == device_ && now.st_ino == inode_) return;
  statement_.reset();
  database_.reset();
  device_ = now.st_dev;
  inode_ = now.st_ino;
}

std::optional<Ran> Connection::open() {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(config_->file.c_str(), &opened,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  if (code != SQLITE_OK) {
    Ran ran;
    ran.error = Errc::refused;
    ran.detail = sqlite3_errstr(code);
    database_.reset();
    if (rarely_.now())
      log::warn("{}: {} cannot be opened: {}", config_->query.origin, config_->file, ran.detail);
    return ran;
  }
  sqlite3_extended_result_codes(opened, 1);
  // What is longer than an answer may be is not made: a function is not interrupted at it.
  const ByteCount most = std::min<ByteCount>(config_->query.max_object + 1_MiB, INT32_MAX);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, static_cast<int>(most));
  sqlite3_exec(opened, "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
  return std::nullopt;
}

std::optional<Ran> Connection::prepare() {
  sqlite3_stmt* made = nullptr;
  const std::string& text = config_->query.text;
  const int code = sqlite3_prepare_v3(database_.get(), text.data(), static_cast<int>(text.size()),
                                      SQLITE_PREPARE_PERSISTENT, &made, nullptr);
  statement_.reset(made);
  if (code != SQLITE_OK) return failed(code, {});
  columns_.clear();
  types_.clear();
  for (int i = 0; i < sqlite3_column_count(made); ++i) {
    columns_.emplace_back(sqlite3_column_name(made, i));
    const char* type = sqlite3_column_decltype(made, i);
    types_.emplace_back(type == nullptr ? "" : type);
  }
  const std::string name = sql::twice(columns_);
  const bool fits =
      sqlite3_bind_parameter_count(made) == static_cast<int>(config_->query.parameters.size());
  if (name.empty() && fits) return std::nullopt;
  log::warn("{}: {}", config_->query.origin,
            fits ? "two columns are called " + name + ", and an object has a name once: write AS"
                 : "the query has other parameters than $1, $2, …");
  statement_.reset();
  return Ran{Answer::failed(config_->query.origin), std::nullopt, ""};
}

Ran Connection::run(Job& job) {
  close_if_replaced();
  if (!database_)
    if (auto fault = open()) return std::move(*fault);
  const Job* current = &job;
  sqlite3_progress_handler(
      database_.get(), kLookEvery,
      [](void* of) { return is_over(*static_cast<const Job*>(of)) ? 1 : 0; }, &job);
  if (config_->has_pause)
    sqlite3_create_function(database_.get(), "pause", 1, SQLITE_UTF8, &current, pause, nullptr,
                            nullptr);
  sqlite3_busy_handler(
      database_.get(),
      [](void* of, int) {
        if (is_over(*static_cast<const Job*>(of))) return 0;
        std::this_thread::sleep_for(kBusyPause);
        return 1;
      },
      &job);
  Ran ran = ask(job);
  if (statement_) {
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
  }
  if (database_) {
    sqlite3_progress_handler(database_.get(), 0, nullptr, nullptr);
    sqlite3_busy_handler(database_.get(), nullptr, nullptr);
  }
  return ran;
}

Ran Connection::ask(Job& job) {
  if (job.probe) {
    const int code = sqlite3_exec(database_.get(), "SELECT 1 FROM sqlite_schema LIMIT 1", nullptr,
                                  nullptr, nullptr);
    if (code != SQLITE_OK) return failed(code, job);
    return {{204, ""}, std::nullopt, ""};
  }
  if (!statement_)
    if (auto fault = prepare()) return std::move(*fault);
  if (!bind(job.values)) return failed(SQLITE_ERROR, job);
  sql::RowsJson rows(columns_, config_->query.many);
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement_.get())) == SQLITE_ROW) {
    // The rest of the rows would be passed over.
    if (!rows.begin_row()) break;
    for (int i = 0; i < static_cast<int>(columns_.size()); ++i) append_column(i, rows.value());
    rows.end_row();
    if (rows.size() <= config_->query.max_object) continue;
    log::warn("{}: a result is over max_object and was not taken", config_->query.origin);
    return {Answer::too_large(config_->query.origin), std::nullopt, ""};
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) return failed(code, job);
  if (rows.rows() == 0 && !config_->query.many)
    return {Answer::none(config_->query.origin), std::nullopt, ""};
  return {Answer::rows(rows.finish()), std::nullopt, ""};
}

// The operator's log alone is told what SQLite says: it may quote data.
Ran Connection::failed(int code, const Job& job) {
  const int primary = code & 0xff;
  Ran ran;
  ran.detail = printable(database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code));
  if (primary == SQLITE_INTERRUPT || (primary == SQLITE_BUSY && is_over(job))) {
    ran.error = job.given_up ? Errc::cancelled : Errc::first_byte_timeout;
    if (primary == SQLITE_BUSY && rarely_.now())
      log::warn("{}: {} is locked by another process", config_->query.origin, config_->file);
    return ran;
  }
  // Not the query but its file: another may lie there the next time.
  if (primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT || primary == SQLITE_IOERR ||
      primary == SQLITE_CANTOPEN) {
    ran.error = Errc::refused;
    statement_.reset();
    database_.reset();
  }
  if (rarely_.now()) log::warn("{}: the query failed: {}", config_->query.origin, ran.detail);
  ran.answer = Answer::failed(config_->query.origin);
  return ran;
}

// As text: the affinity of what it is compared with makes of it what it must be.
bool Connection::bind(const sql::Values& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int at =
        sqlite3_bind_parameter_index(statement_.get(), fmt::format("${}", i + 1).c_str());
    if (at == 0) return false;
    if (!values[i]) continue;
    const std::string& value = *values[i];
    const sql::Type type = config_->query.parameters[i].type;
    int code = SQLITE_OK;
    std::int64_t number = 0;
    if (type == sql::Type::integer) {
      std::from_chars(value.data(), value.data() + value.size(), number);
      code = sqlite3_bind_int64(statement_.get(), at, number);
    } else if (type == sql::Type::boolean) {
      code = sqlite3_bind_int(statement_.get(), at, value == "true" ? 1 : 0);
    } else if (type == sql::Type::number) {
      code = sqlite3_bind_double(statement_.get(), at, std::strtod(value.c_str(), nullptr));
    } else {
      code = sqlite3_bind_text(statement_.get(), at, value.data(), static_cast<int>(value.size()),
                               SQLITE_STATIC);  // the job outlives the query
    }
    if (code != SQLITE_OK) return false;
  }
  return true;
}

void Connection::append_column(int column, std::string& out) const {
  sqlite3_stmt* s = statement_.get();
  const std::string& type = types_[static_cast<std::size_t>(column)];
  const int kind = sqlite3_column_type(s, column);
  if (kind == SQLITE_NULL) {
    out += "null";
    return;
  }
  if (kind == SQLITE_INTEGER) {
    const sqlite3_int64 number = sqlite3_column_int64(s, column);
    if (declared(type, "bool") && (number == 0 || number == 1)) {
      out += number == 1 ? "true" : "false";
    } else {
      out += std::to_string(number);
    }
    return;
  }
  if (kind == SQLITE_FLOAT) return append_real(sqlite3_column_double(s, column), out);
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(s, column));
  const std::string_view text(bytes == nullptr ? "" : bytes,
                              static_cast<std::size_t>(sqlite3_column_bytes(s, column)));
  if (kind == SQLITE_BLOB) return sql::append_base64(text, out);
  if (declared(type, "json")) return sql::append_json(text, out);
  // SQLite's own times are UTC and do not say so.
  const bool time = declared(type, "timestamp") || declared(type, "datetime");
  if (!time) return sql::append_string(text, out);
  std::string full(text);
  const bool has_zone =
      text.find_first_of("+-Z", std::min<std::size_t>(19, text.size())) != std::string_view::npos;
  if (is_time(text) && !has_zone) full += "+00";
  sql::append_timestamp(full, out);
}

}  // namespace tanggul::sqlite
