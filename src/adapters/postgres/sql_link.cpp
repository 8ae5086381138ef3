#include "adapters/postgres/sql_link.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/bytes.h"
#include "base/utf8.h"

namespace tanggul::postgres {
namespace {

using ports::SqlRow;
using ports::SqlValue;

void pass_over(void*, const char*) {}

std::string first_line(const char* text) {
  std::string_view all = text == nullptr ? "" : text;
  return to_utf8(printable(all.substr(0, all.find('\n'))));
}

std::string milliseconds(Duration d) {
  return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(d).count());
}

// The text form of a value; false: a text that PostgreSQL has no place for.
bool text_form(const SqlValue& value, std::string& out) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    out = std::to_string(*whole);
  } else if (const auto* number = std::get_if<double>(&value)) {
    out = std::isnan(*number)   ? "NaN"
          : std::isinf(*number) ? (*number > 0 ? "Infinity" : "-Infinity")
                                : fmt::format("{}", *number);
  } else {
    out = std::get<std::string>(value);
  }
  return out.find('\0') == std::string::npos;
}

double number_of(std::string_view text) {
  if (text == "NaN") return std::nan("");
  if (text.ends_with("Infinity")) return text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

SqlValue value_of(const PGresult* result, int column) {
  if (PQgetisnull(result, 0, column) != 0) return std::monostate();
  const std::string_view text(PQgetvalue(result, 0, column),
                              static_cast<std::size_t>(PQgetlength(result, 0, column)));
  // The numbers of the system's own types (src/include/catalog/pg_type.dat).
  constexpr Oid kBool = 16, kInt8 = 20, kInt2 = 21, kInt4 = 23, kOid = 26, kFloat4 = 700,
                kFloat8 = 701, kNumeric = 1700;
  switch (PQftype(result, column)) {
    case kBool:
      return std::int64_t{text == "t"};
    case kInt8:
    case kInt2:
    case kInt4:
    case kOid: {
      std::int64_t whole = 0;
      std::from_chars(text.data(), text.data() + text.size(), whole);
      return whole;
    }
    case kFloat4:
    case kFloat8:
    case kNumeric:
      return number_of(text);
    default:
      return std::string(text);
  }
}

}  // namespace

Errc code_of_state(std::string_view state) noexcept {
  const auto of_class = [state](std::string_view name) { return state.starts_with(name); };
  if (state == "08P01") return Errc::internal;  // too many values, or too few
  if (state.empty() || of_class("08") || of_class("57P")) return Errc::reset;
  // Conflicts and time-outs of ours, and of a server that is full.
  if (of_class("40") || state == "55P03" || state == "57014" || state == "53300" ||
      state == "25P03")
    return Errc::limit;
  if (of_class("53") || of_class("58") || of_class("XX")) return Errc::io;
  if (of_class("28") || of_class("3D") || state == "42501" || state == "25006")
    return Errc::refused;
  return Errc::internal;
}

SqlLink::SqlLink(PGconn* connection, const SqlSessionConfig& config)
    : connection_(connection),
      patience_(config.statement > Duration::zero() ? config.statement + config.silence
                                                    : Duration::zero()) {}

Expected<std::unique_ptr<SqlLink>> SqlLink::open(const SqlSessionConfig& config) {
  const std::string connect = std::to_string(
      std::max<std::int64_t>(2, std::chrono::ceil<std::chrono::seconds>(config.connect).count()));
  const std::string silence = milliseconds(config.silence);
  // What stands before dbname is a default that the address may override.
  const std::vector<std::pair<const char*, const char*>> settings{
      {"fallback_application_name", "tanggul"},
      {"connect_timeout", connect.c_str()},
      {"keepalives_idle", "30"},
      {"keepalives_interval", "10"},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", silence.c_str()},
      {"dbname", config.address.c_str()},
      {"client_encoding", "UTF8"}};
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : settings) {
    keys.push_back(key);
    values.push_back(value);
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  std::unique_ptr<SqlLink> link(
      new SqlLink(PQconnectdbParams(keys.data(), values.data(), 1), config));
  PGconn* const connection = link->connection_.get();
  if (PQstatus(connection) != CONNECTION_OK)
    return Failure{Errc::refused, first_line(PQerrorMessage(connection))};
  PQsetNoticeProcessor(connection, pass_over, nullptr);
  PQsetnonblocking(connection, 1);
  const auto set = link->script(fmt::format(
      "SET statement_timeout = {}; SET lock_timeout = {}; SET standard_conforming_strings = on; "
      "SET extra_float_digits = 1",
      milliseconds(config.statement), milliseconds(config.lock)));
  if (!set) return set.error().failure;
  return link;
}

bool SqlLink::in_transaction() const {
  const auto status = PQtransactionStatus(connection_.get());
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}
bool SqlLink::transaction_failed() const {
  return PQtransactionStatus(connection_.get()) == PQTRANS_INERROR;
}

SqlLink::Fault SqlLink::lost(std::string_view why) {
  broken_ = true;
  const std::string said = first_line(PQerrorMessage(connection_.get()));
  return {"",
          {Errc::reset,
           why.empty() ? (said.empty() ? "the connection was lost" : said) : std::string(why)}};
}

// False: in time nothing came, or nothing could be sent.
bool SqlLink::wait(short events) {
  pollfd socket{PQsocket(connection_.get()), events, 0};
  const MonoTime until = MonoClock::now() + patience_;
  for (;;) {
    int left = -1;
    if (patience_ > Duration::zero())
      left = static_cast<int>(std::clamp<std::int64_t>(
          std::chrono::ceil<std::chrono::milliseconds>(until - MonoClock::now()).count(), 0,
          1'000'000'000));
    const int ready = ::poll(&socket, 1, left);
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

// All that was sent has gone. What the server has said meanwhile is taken in: it may take nothing
// more until it can speak.
bool SqlLink::flush() {
  for (;;) {
    const int unsent = PQflush(connection_.get());
    if (unsent <= 0) return unsent == 0;
    if (!wait(POLLIN | POLLOUT) || PQconsumeInput(connection_.get()) == 0) return false;
  }
}

// PQgetResult would not wait.
bool SqlLink::arrived() {
  while (PQisBusy(connection_.get()) != 0)
    if (!wait(POLLIN) || PQconsumeInput(connection_.get()) == 0) return false;
  return true;
}

SqlLink::Ended SqlLink::finish(bool sent, const ports::SqlSession::EachRow& row) {
  PGconn* const connection = connection_.get();
  if (!sent || !flush()) return lost();
  broken_ = true;  // until all of the answer has been read, which an exception of `row` prevents
  std::optional<Fault> fault;
  std::uint64_t changed = 0;
  SqlRow values;
  for (;;) {
    if (!arrived()) {
      if (fault) return *fault;
      return lost(PQstatus(connection) == CONNECTION_OK ? "the server does not answer" : "");
    }
    const Result result(PQgetResult(connection));
    if (!result) break;
    switch (PQresultStatus(result.get())) {
      case PGRES_SINGLE_TUPLE:
        if (!row || fault) break;
        values.resize(static_cast<std::size_t>(PQnfields(result.get())));
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = value_of(result.get(), static_cast<int>(i));
        row(values);
        break;
      case PGRES_COMMAND_OK:
      case PGRES_TUPLES_OK:
        changed = parse_decimal(PQcmdTuples(result.get())).value_or(0);
        break;
      default: {
        if (fault) break;
        const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
        std::string said = first_line(PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY));
        if (said.empty()) said = first_line(PQerrorMessage(connection));
        fault = Fault{state == nullptr ? "" : state, {}};
        fault->failure = {code_of_state(fault->state), std::move(said)};
      }
    }
  }
  broken_ = PQstatus(connection) != CONNECTION_OK || (fault && fault->failure.code == Errc::reset);
  if (fault) return *fault;
  if (broken_) return lost();
  return changed;
}

std::optional<SqlLink::Fault> SqlLink::prepare(std::string_view statement, std::string& name) {
  std::string text(statement);
  if (const auto known = names_.find(text); known != names_.end()) {
    name = known->second;
    return std::nullopt;
  }
  name = fmt::format("tanggul_{}", names_.size() + 1);
  const bool sent = PQsendPrepare(connection_.get(), name.c_str(), text.c_str(), 0, nullptr) == 1;
  if (auto done = finish(sent, {}); !done) return done.error();
  names_.emplace(std::move(text), name);
  return std::nullopt;
}

SqlLink::Ended SqlLink::run(std::string_view statement, const SqlRow& values,
                            const ports::SqlSession::EachRow& row) {
  std::vector<std::string> texts(values.size());
  std::vector<const char*> pointers(values.size(), nullptr);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::holds_alternative<std::monostate>(values[i])) continue;
    if (!text_form(values[i], texts[i]))
      return Fault{"22021", {Errc::internal, "a text with a zero byte"}};
    pointers[i] = texts[i].c_str();
  }
  std::string name;
  if (auto fault = prepare(statement, name)) return *fault;
  const bool sent =
      PQsendQueryPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()),
                          pointers.data(), nullptr, nullptr, 0) == 1;
  if (sent) PQsetSingleRowMode(connection_.get());
  return finish(sent, row);
}

SqlLink::Ended SqlLink::script(std::string_view statements) {
  return finish(PQsendQuery(connection_.get(), std::string(statements).c_str()) == 1, {});
}

}  // namespace tanggul::postgres
