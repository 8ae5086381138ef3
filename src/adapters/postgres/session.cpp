#include "adapters/postgres/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"

namespace tanggul::postgres {
namespace {

namespace sql = registry::sql;
using sql::Answer;

// Text forms that can be turned into JSON without loss, and nothing written.
std::string set_up(const DatabaseConfig& config) {
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(config.statement).count();
  return fmt::format(
      "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; SET statement_timeout = {}; "
      "SET idle_in_transaction_session_timeout = {}; SET DateStyle = 'ISO, YMD'; "
      "SET IntervalStyle = 'iso_8601'; SET TimeZone = 'UTC'; SET bytea_output = 'hex'; "
      "SET extra_float_digits = 1",
      milliseconds, milliseconds);
}

// What a function says of a value that it was given: it is no number, date, regular expression,
// count of rows, … (PostgreSQL's appendix A). Not what a row makes of it: division by zero,
// overflow. 42601 is a syntax that a query has which came by its preparation: to_tsquery's.
bool is_about_a_value(std::string_view state) {
  static constexpr std::string_view kStates[] = {"22P02", "22P03", "22P05", "22007",
                                                 "22008", "22009", "22021", "2201B",
                                                 "2201W", "2201X", "22023", "42601"};
  return std::find(std::begin(kStates), std::end(kStates), state) != std::end(kStates);
}

// The statement is not there any more, or its table has other columns than when it was prepared.
bool must_prepare_again(const Fault& fault) {
  return fault.state == "26000" || fault.state == "0A000";
}

// What the server says to a query that was cancelled.
constexpr std::string_view kCancelled = "57014";
// With `rows: one`: as few are read to their end, rather than cancelled.
constexpr std::size_t kRowsPassedOver = 100;

std::string statement_name(int number) { return fmt::format("tanggul_{}", number); }

}  // namespace

Session::Session(async::Executor executor, std::shared_ptr<const DatabaseConfig> config,
                 std::shared_ptr<FaultLog> faults)
    : config_(std::move(config)),
      faults_(std::move(faults)),
      connection_(std::make_shared<Connection>(executor)) {}

Task<std::optional<Fault>> Session::open() {
  return connection_->open(config_->address, set_up(*config_), MonoClock::now() + config_->connect);
}

Task<std::optional<Fault>> Session::prepare(JobPtr job) {
  const auto given_up = [job] { return job->given_up.load(); };
  if (prepared_ > 0)
    co_await connection_->simple("DEALLOCATE ALL", MonoClock::now() + config_->connect, given_up);
  const std::string name = statement_name(++prepared_);
  Connection::Ended made = co_await connection_->prepare(name, config_->query.text, given_up);
  if (made.fault || job->given_up) co_return std::move(made.fault);
  Connection::Ended told = co_await connection_->describe(name, given_up);
  if (told.fault || job->given_up) co_return std::move(told.fault);
  std::string wrong;
  auto statement = std::make_shared<Statement>(described(*told.last, config_->query, wrong));
  if (!wrong.empty()) co_return Fault{Errc::internal, "", wrong};
  if (std::string words = words_about_types(*statement); !words.empty()) {
    told = co_await connection_->simple(std::move(words), MonoClock::now() + config_->connect,
                                        given_up);
    if (told.fault || job->given_up) co_return std::move(told.fault);
    take_elements(*told.last, *statement);
  }
  if (const auto& inferred = config_->query.inferred)
    for (std::size_t i = 0; i < statement->parameters.size(); ++i)
      inferred->set(i, parameter_type(statement->parameters[i]));
  statement_ = std::move(statement);
  co_return std::nullopt;
}

Task<Connection::Ended> Session::ask(JobPtr job) {
  sql::RowsJson rows(statement_->columns, config_->query.many);
  too_large_ = false;
  std::vector<const char*> values;
  for (const auto& value : job->values) values.push_back(value ? value->c_str() : nullptr);
  const auto take = [&](const PGresult& result) {
    if (too_large_ || !rows.begin_row()) return;
    append_row(result, rows);
    too_large_ = rows.size() > config_->query.max_object;
  };
  // The rest is not worth sending where the result is too large, or one row was enough.
  const auto given_up = [&] {
    return job->given_up.load() || too_large_ ||
           (!config_->query.many && rows.rows() > kRowsPassedOver);
  };
  Connection::Ended ended =
      co_await connection_->query(statement_name(prepared_), std::move(values), given_up, take);
  rows_ = rows.rows();
  const bool enough = !config_->query.many && rows_ > kRowsPassedOver;
  if (enough) ended.fault.reset();  // however its end was brought about
  if (!ended.fault && !too_large_) json_ = rows.finish();
  co_return ended;
}

void Session::append_row(const PGresult& result, sql::RowsJson& rows) const {
  for (int i = 0; i < PQnfields(&result); ++i) {
    std::string& out = rows.value();
    const std::string_view text(PQgetvalue(&result, 0, i),
                                static_cast<std::size_t>(PQgetlength(&result, 0, i)));
    const TypeId element = statement_->elements[static_cast<std::size_t>(i)];
    if (PQgetisnull(&result, 0, i) != 0) {
      out += "null";
    } else if (element != 0) {
      append_array(element, text, out);
    } else {
      append_value(PQftype(&result, i), text, out);
    }
  }
  rows.end_row();
}

Task<void> Session::run(JobPtr job) {
  if (!connection_->lives()) {  // it had died while it was idle: that was no try
    job->fault = Fault{Errc::stale_connection, "", "the connection had died"};
    co_return;
  }
  if (job->probe) {
    Connection::Ended ended = co_await connection_->simple("SELECT 1", job->deadline,
                                                           [job] { return job->given_up.load(); });
    job->answer.status = 204;
    job->fault = std::move(ended.fault);
  } else {
    co_await ask_prepared(job);
  }
  if (job->given_up && !job->fault) job->fault = Fault{Errc::cancelled, "", "nobody waits"};
  if (job->fault) judge_fault(*job);
  co_await connection_->settle();
}

Task<void> Session::ask_prepared(JobPtr job) {
  for (bool again = false; !job->given_up; again = true) {
    if (!statement_) job->fault = co_await prepare(job);
    if (job->fault || job->given_up) co_return;
    if (auto wrong = fault_of_values(*statement_, config_->query, job->values)) {
      job->answer = Answer::refused(config_->query.origin, *wrong);
      co_return;
    }
    Connection::Ended ended = co_await ask(job);
    if (!ended.fault || again || !must_prepare_again(*ended.fault)) {
      judge(*job, std::move(ended));
      co_return;
    }
    statement_.reset();
  }
}

void Session::judge(Job& job, Connection::Ended ended) {
  const std::string& origin = config_->query.origin;
  if (too_large_) {
    log::warn("{}: a result is over max_object and was not taken", origin);
    job.answer = Answer::too_large(origin);
  } else if (!ended.fault) {
    job.answer =
        rows_ == 0 && !config_->query.many ? Answer::none(origin) : Answer::rows(std::move(json_));
  } else if (is_about_a_value(ended.fault->state) && !config_->query.parameters.empty()) {
    job.answer = Answer::refused(origin, "the database does not take a value for what it must be");
  } else {
    job.fault = std::move(ended.fault);
  }
}

// What of a fault is told as an answer, and what as an end without one.
void Session::judge_fault(Job& job) {
  Fault& fault = *job.fault;
  if (fault.state == kCancelled) {  // by us, or by its statement_timeout
    fault.code = job.given_up ? Errc::cancelled : Errc::first_byte_timeout;
  } else if (fault.code == Errc::internal) {
    faults_->tell(fault.words());
    job.fault.reset();
    job.answer = Answer::failed(config_->query.origin);
  } else if (fault.code != Errc::cancelled) {
    faults_->tell(fault.words());
  }
}

}  // namespace tanggul::postgres
