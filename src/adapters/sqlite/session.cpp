#include "adapters/sqlite/session.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <thread>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/utf8.h"
#include "tanggul/base/random.h"

namespace tanggul::sqlite {
namespace {

using ports::SqlRow;
using ports::SqlValue;

struct Close {
  void operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

// A writer is through in well under a millisecond: short pauses first, and none that is the same
// for all who wait.
constexpr Duration kShortestPause = 50us, kLongestPause = 5ms;

Errc code_of(int sqlite) noexcept {
  switch (sqlite & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Errc::limit;
    case SQLITE_CANTOPEN:
    case SQLITE_NOTADB:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return Errc::refused;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOMEM:
      return Errc::io;
    default:
      return Errc::internal;
  }
}

const Failure kGone{Errc::io, "the file was removed or replaced while it was open"};

struct HashOfText {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return hash_bytes(text); }
};

struct Waiting {
  Duration at_most;
  MonoTime until;
};

int pause_while_busy(void* of, int times) {
  auto& waiting = *static_cast<Waiting*>(of);
  const MonoTime now = MonoClock::now();
  if (times == 0) waiting.until = now + waiting.at_most;
  if (now >= waiting.until) return 0;
  const Duration most = std::min(kLongestPause, kShortestPause * (1 << std::min(times, 10)));
  std::this_thread::sleep_for(most / 4 + thread_rng().upto(most));
  return 1;
}

bool bind(sqlite3_stmt* statement, const SqlRow& values) {
  int code = SQLITE_OK;
  for (std::size_t i = 0; i < values.size() && code == SQLITE_OK; ++i) {
    const int at = sqlite3_bind_parameter_index(statement, fmt::format("${}", i + 1).c_str());
    if (at == 0) return false;
    const SqlValue& value = values[i];
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      code = sqlite3_bind_int64(statement, at, *whole);
    else if (const auto* number = std::get_if<double>(&value))
      code = sqlite3_bind_double(statement, at, *number);
    else if (const auto* text = std::get_if<std::string>(&value))
      code = sqlite3_bind_text64(statement, at, text->data(), text->size(), SQLITE_STATIC,
                                 SQLITE_UTF8);
  }
  return code == SQLITE_OK;
}

SqlValue value_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return std::monostate();
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    default: {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      return bytes == nullptr ? std::string() : std::string(bytes, size);
    }
  }
}

class Session final : public ports::SqlSession {
 public:
  explicit Session(Duration busy) : waiting_{busy, {}} {}

  Expected<void> open(const std::string& file) {
    sqlite3* opened = nullptr;
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int code = sqlite3_open_v2(file.c_str(), &opened, kFlags, nullptr);
    database_.reset(opened);
    if (code != SQLITE_OK) return failed(code);
    sqlite3_extended_result_codes(opened, 1);
    sqlite3_busy_handler(opened, pause_while_busy, &waiting_);
    // Who opens a file whose last user was killed mends it first, and lets nobody in meanwhile; the
    // busy handler is not asked about all of that.
    for (const MonoTime until = MonoClock::now() + waiting_.at_most;;) {
      auto ready = script(
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;");
      if (ready || ready.error().code != Errc::limit || MonoClock::now() >= until) return ready;
      std::this_thread::sleep_for(kLongestPause);
    }
  }

  ports::SqlDialect dialect() const noexcept override { return ports::SqlDialect::sqlite; }

  Expected<std::uint64_t> run(std::string_view text, const SqlRow& values,
                              const EachRow& row) override {
    sqlite3_stmt* statement = nullptr;
    if (const int code = prepared(text, statement); code != SQLITE_OK) return failed(code);
    const int code = bind(statement, values) ? step(statement, row) : SQLITE_MISUSE;
    std::optional<Failure> failure;
    if (code != SQLITE_DONE) failure = failed(code);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);  // they lie in `values`
    if (failure) return *failure;
    const bool kept = sqlite3_stmt_readonly(statement) == 0 && !in_transaction();
    if (kept && gone()) return kGone;
    return static_cast<std::uint64_t>(sqlite3_changes64(database_.get()));
  }

  Expected<void> script(std::string_view statements) override {
    const int code =
        sqlite3_exec(database_.get(), std::string(statements).c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return failed(code);
    return {};
  }

  Expected<void> transaction(const std::function<Expected<void>()>& work) override {
    // IMMEDIATE: a transaction that began by reading could not wait for another's write.
    if (auto begun = run("BEGIN IMMEDIATE", {}, {}); !begun) return begun.error();
    const auto undo = [this] {
      if (in_transaction()) (void)run("ROLLBACK", {}, {});
    };
    struct Undo {
      const decltype(undo)& call;
      ~Undo() { call(); }
    } const at_the_end{undo};  // an exception's way out too; after COMMIT it does nothing
    if (auto done = work(); !done) return done.error();
    if (auto committed = run("COMMIT", {}, {}); !committed) return committed.error();
    if (gone()) return kGone;
    return {};
  }

 private:
  bool in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }

  // Asked after each write: what went into a file that no longer has its name is lost with it.
  bool gone() const {
    int moved = 0;
    sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved != 0;
  }

  int prepared(std::string_view text, sqlite3_stmt*& out) {
    if (const auto known = statements_.find(text); known != statements_.end()) {
      out = known->second.get();
      return SQLITE_OK;
    }
    const int code = sqlite3_prepare_v3(database_.get(), text.data(), static_cast<int>(text.size()),
                                        SQLITE_PREPARE_PERSISTENT, &out, nullptr);
    if (code == SQLITE_OK) statements_.emplace(text, out);
    return code;
  }

  static int step(sqlite3_stmt* statement, const EachRow& row) {
    SqlRow values(static_cast<std::size_t>(sqlite3_column_count(statement)));
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      if (!row) continue;
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = value_of(statement, static_cast<int>(i));
      row(values);
    }
    return code;
  }

  Failure failed(int code) const {
    const char* const why = database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
    return {code_of(code), to_utf8(printable(why))};
  }

  Waiting waiting_;
  std::unique_ptr<sqlite3, Close> database_;
  std::unordered_map<std::string, Statement, HashOfText, std::equal_to<>>
      statements_;  // goes before the database
};

}  // namespace

Expected<std::unique_ptr<ports::SqlSession>> open_session(const SessionConfig& config) {
  auto session = std::make_unique<Session>(config.busy);
  if (auto opened = session->open(config.file); !opened)
    return Failure{opened.error().code, config.file + ": " + opened.error().detail};
  return std::unique_ptr<ports::SqlSession>(std::move(session));
}

}  // namespace tanggul::sqlite
