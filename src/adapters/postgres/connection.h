#pragma once

#include <libpq-fe.h>

#include <atomic>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.h"
#include "async/timer.h"
#include "base/result.h"
#include "tanggul/base/clock.h"

namespace tanggul::postgres {

struct ResultFree {
  void operator()(PGresult* r) const noexcept { PQclear(r); }
};
using ResultPtr = std::unique_ptr<PGresult, ResultFree>;

// What went wrong, for the log. `state`: the server's SQLSTATE; empty: it said nothing.
struct Fault {
  Errc code = Errc::internal;
  std::string state, text;

  std::string words() const { return state.empty() ? text : state + " " + text; }
};

// One session, on one thread: libpq's asynchronous calls with Asio to wait. Held by shared_ptr
// while a call of it runs.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(async::Executor executor);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // nullopt: it is open, and its session set up by `set_up`, statements that answer nothing.
  Task<std::optional<Fault>> open(std::string address, std::string set_up, MonoTime until);

  // While one of these runs, `given_up` is asked whenever the wait ends early; after it has said
  // yes the server is told to cancel, and the end is waited for no longer than a moment. `row` gets
  // each row, one after another, nothing being gathered.
  using GivenUp = std::function<bool()>;
  using Row = std::function<void(const PGresult&)>;
  struct Ended {
    ResultPtr last;              // of a result without rows, or after the last row
    std::optional<Fault> fault;  // the server's, or the connection's
  };
  Task<Ended> prepare(std::string name, std::string text, GivenUp given_up);
  Task<Ended> describe(std::string name, GivenUp given_up);
  Task<Ended> query(std::string name, std::vector<const char*> values, GivenUp given_up, Row row);
  // One that is not answered until then breaks the connection.
  Task<Ended> simple(std::string text, MonoTime until, GivenUp given_up);

  // Until something arrives that nobody has asked for, or nudge(). False: it has died.
  Task<bool> idle(MonoTime until);
  // The notifications that have come, by their payloads.
  std::vector<std::string> notifications();
  void nudge();
  // Whether nothing says otherwise yet: to be asked before a query is sent.
  bool lives();

  bool broken() const noexcept { return broken_; }
  void break_off();  // it is of no more use
  // A cancelled query's connection is to be used again only now: what cancels must not meet the
  // next query.
  Task<void> settle();

 private:
  enum class Woken { ready, nudged };
  Task<Woken> wait(boost::asio::posix::descriptor_base::wait_type what, MonoTime until);
  Task<std::optional<Fault>> connect(std::string address, MonoTime until);
  Task<Ended> finish(int sent, MonoTime until, GivenUp given_up, Row row);
  Task<bool> arrived(const GivenUp& given_up);
  void begin_cancel();
  void let_go_of_socket();
  void take_socket();
  Fault own_fault(Errc code) const;

  async::Executor executor_;
  PGconn* connection_ = nullptr;
  boost::asio::posix::basic_stream_descriptor<async::Executor> socket_;
  async::Timer timer_;
  bool broken_ = true;
  bool nudged_ = false;
  // Of the query that runs.
  bool cancelled_ = false;
  MonoTime limit_ = kForever;
  std::vector<std::shared_ptr<std::atomic<bool>>> cancelling_;  // true: the server has been told
};

// Whether the server has ended the session, or is about to, rather than the query alone.
bool ends_session(std::string_view state) noexcept;

}  // namespace tanggul::postgres
