#include "database.h"

#include <libpq-fe.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>
#include <utility>

namespace asio = boost::asio;
using asio::posix::stream_descriptor;

namespace {

constexpr char kQuery[] = "SELECT row_to_json(p) FROM products p WHERE id = $1";

// The descriptor is libpq's: it is lent to Asio for one wait.
class Lent {
 public:
  Lent(const asio::any_io_executor& executor, PGconn* connection)
      : descriptor_(executor, PQsocket(connection)) {}
  ~Lent() { descriptor_.release(); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  stream_descriptor* operator->() { return &descriptor_; }

 private:
  stream_descriptor descriptor_;
};

[[noreturn]] void fail(PGconn* connection) { throw std::runtime_error(PQerrorMessage(connection)); }

}  // namespace

void Database::Closer::operator()(pg_conn* connection) const { PQfinish(connection); }
void Database::Clearer::operator()(pg_result* result) const { PQclear(result); }

Database::Database(asio::any_io_executor executor, std::string connection_string)
    : executor_(std::move(executor)),
      connection_string_(std::move(connection_string) +
                         " connect_timeout=2 options='-c statement_timeout=3500'") {}

asio::awaitable<void> Database::until_readable(pg_conn* connection) {
  Lent lent(executor_, connection);
  co_await lent->async_wait(stream_descriptor::wait_read, asio::use_awaitable);
}
asio::awaitable<void> Database::until_writable(pg_conn* connection) {
  Lent lent(executor_, connection);
  co_await lent->async_wait(stream_descriptor::wait_write, asio::use_awaitable);
}

asio::awaitable<Database::Connection> Database::connect() {
  while (!idle_.empty()) {
    Connection connection = std::move(idle_.back());
    idle_.pop_back();
    // One that the server has closed meanwhile has something to read: its end.
    if (PQconsumeInput(connection.get()) == 1 && PQstatus(connection.get()) == CONNECTION_OK)
      co_return connection;
  }
  Connection connection(PQconnectStart(connection_string_.c_str()));
  if (!connection || PQstatus(connection.get()) == CONNECTION_BAD) fail(connection.get());
  for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;
       next = PQconnectPoll(connection.get())) {
    if (next == PGRES_POLLING_FAILED) fail(connection.get());
    if (next == PGRES_POLLING_READING)
      co_await until_readable(connection.get());
    else
      co_await until_writable(connection.get());
  }
  PQsetnonblocking(connection.get(), 1);
  co_return connection;
}

asio::awaitable<Database::Result> Database::result(pg_conn* connection) {
  while (PQisBusy(connection) == 1) {
    co_await until_readable(connection);
    if (PQconsumeInput(connection) == 0) fail(connection);
  }
  co_return Result(PQgetResult(connection));
}

asio::awaitable<std::optional<std::string>> Database::product(std::string id) {
  Connection connection = co_await connect();
  const char* const values[] = {id.c_str()};
  if (PQsendQueryParams(connection.get(), kQuery, 1, nullptr, values, nullptr, nullptr, 0) == 0)
    fail(connection.get());
  while (PQflush(connection.get()) == 1) co_await until_writable(connection.get());
  Result first = co_await result(connection.get());
  while (co_await result(connection.get())) {
  }
  if (PQresultStatus(first.get()) != PGRES_TUPLES_OK)
    throw std::runtime_error(PQresultErrorMessage(first.get()));
  idle_.push_back(std::move(connection));
  if (PQntuples(first.get()) == 0) co_return std::nullopt;
  co_return PQgetvalue(first.get(), 0, 0);
}
