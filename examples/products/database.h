#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct pg_conn;
struct pg_result;

// PostgreSQL through libpq's asynchronous functions: no thread waits. For one thread. Connections
// are made as they are needed and kept; how many there are at once is the read-through's limit.
class Database {
 public:
  Database(boost::asio::any_io_executor executor, std::string connection_string);

  // The product as JSON; nullopt: there is none. Throws std::runtime_error with PostgreSQL's words,
  // which are for the log and not for clients. A query that is cancelled takes its connection
  // along, and the server ends it by statement_timeout.
  boost::asio::awaitable<std::optional<std::string>> product(std::string id);

 private:
  struct Closer {
    void operator()(pg_conn* connection) const;
  };
  struct Clearer {
    void operator()(pg_result* result) const;
  };
  using Connection = std::unique_ptr<pg_conn, Closer>;
  using Result = std::unique_ptr<pg_result, Clearer>;

  boost::asio::awaitable<Connection> connect();
  boost::asio::awaitable<Result> result(pg_conn* connection);
  boost::asio::awaitable<void> until_readable(pg_conn* connection);
  boost::asio::awaitable<void> until_writable(pg_conn* connection);

  const boost::asio::any_io_executor executor_;
  const std::string connection_string_;
  std::vector<Connection> idle_;
};
