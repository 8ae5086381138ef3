#include "adapters/postgres/connection.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "adapters/postgres/address.h"
#include "base/bytes.h"

namespace tanggul::postgres {
namespace {

namespace asio = boost::asio;
using Descriptor = asio::posix::descriptor_base;

// For the server to end a query that it was told to cancel. Longer, and it is the connection that
// is in doubt.
constexpr Duration kToCancel = 2s;
// How often it is looked whether the server has been told.
constexpr Duration kLookAgain = 5ms;
// Of threads that tell a server to cancel: one that does not answer holds each for good.
constexpr int kMostCancelling = 8;
std::atomic<int> cancelling_now{0};

bool connection_state(std::string_view state) {
  return state.starts_with("08") || state == "57P01" || state == "57P02" || state == "57P03" ||
         state == "57P05";
}

std::string first_line(const char* text) {
  std::string_view all = text == nullptr ? "" : text;
  all = all.substr(0, all.find('\n'));
  return printable(all);
}

Fault fault_of(const PGresult& result) {
  Fault fault;
  const char* state = PQresultErrorField(&result, PG_DIAG_SQLSTATE);
  fault.state = state == nullptr ? "" : state;
  fault.text = first_line(PQresultErrorField(&result, PG_DIAG_MESSAGE_PRIMARY));
  fault.code = fault.state.empty() || connection_state(fault.state) ? Errc::reset : Errc::internal;
  return fault;
}

void pass_over(void*, const char*) {}

Fault late() { return {Errc::connect_timeout, "", "it was not open in time"}; }

}  // namespace

bool ends_session(std::string_view state) noexcept {
  return state.empty() || connection_state(state);
}

Connection::Connection(async::Executor executor)
    : executor_(executor), socket_(executor), timer_(executor) {}

Connection::~Connection() {
  let_go_of_socket();
  PQfinish(connection_);
}

// Under a number of its own: libpq closes its socket when it likes, and another may have that
// number before we hear of it.
void Connection::take_socket() {
  const int theirs = PQsocket(connection_);
  const int fd = theirs < 0 || socket_.is_open() ? -1 : ::fcntl(theirs, F_DUPFD_CLOEXEC, 0);
  if (fd >= 0) socket_.assign(fd);
}

void Connection::let_go_of_socket() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void Connection::break_off() {
  broken_ = true;
  let_go_of_socket();
}

Fault Connection::own_fault(Errc code) const {
  return {code, "", first_line(connection_ == nullptr ? "" : PQerrorMessage(connection_))};
}

Task<Connection::Woken> Connection::wait(Descriptor::wait_type what, MonoTime until) {
  const auto self = shared_from_this();
  if (std::exchange(nudged_, false)) co_return Woken::nudged;
  if (!socket_.is_open()) co_return Woken::ready;  // nothing comes any more
  if (until != kForever) {
    timer_.expires_at(until);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      if (error) return;
      if (const auto alive = weak.lock()) alive->socket_.cancel();
    });
  }
  const auto [error] = co_await socket_.async_wait(what, asio::as_tuple(async::use_task));
  if (until != kForever) timer_.cancel();
  nudged_ = false;
  co_return error ? Woken::nudged : Woken::ready;
}

void Connection::nudge() {
  nudged_ = true;
  if (socket_.is_open()) socket_.cancel();
}

Task<std::optional<Fault>> Connection::connect(std::string address, MonoTime until) {
  std::string wrong;
  const Settings settings = co_await resolved(std::move(address), until, wrong);
  if (MonoClock::now() >= until) co_return late();
  if (!wrong.empty()) co_return Fault{Errc::refused, "", wrong};
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : settings) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = PQconnectStartParams(keys.data(), values.data(), 0);
  if (connection_ == nullptr || PQstatus(connection_) == CONNECTION_BAD)
    co_return own_fault(Errc::refused);
  PQsetNoticeProcessor(connection_, pass_over, nullptr);
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (next != PGRES_POLLING_OK) {
    if (next == PGRES_POLLING_FAILED) co_return own_fault(Errc::refused);
    if (MonoClock::now() >= until) co_return late();
    // Between two steps it may go on with another socket that has the same number.
    take_socket();
    const auto what =
        next == PGRES_POLLING_READING ? Descriptor::wait_read : Descriptor::wait_write;
    const Woken woken = co_await wait(what, until);
    let_go_of_socket();
    if (woken == Woken::ready) next = PQconnectPoll(connection_);
  }
  PQsetnonblocking(connection_, 1);
  take_socket();
  broken_ = false;
  co_return std::nullopt;
}

Task<std::optional<Fault>> Connection::open(std::string address, std::string set_up,
                                            MonoTime until) {
  const auto self = shared_from_this();
  if (auto fault = co_await connect(std::move(address), until)) co_return fault;
  Ended ended = co_await simple(std::move(set_up), until, [] { return false; });
  if (ended.fault) break_off();
  if (ended.fault && MonoClock::now() >= until) ended.fault = late();
  co_return std::move(ended.fault);
}

Task<Connection::Ended> Connection::prepare(std::string name, std::string text, GivenUp given_up) {
  const int sent = PQsendPrepare(connection_, name.c_str(), text.c_str(), 0, nullptr);
  return finish(sent, kForever, std::move(given_up), nullptr);
}
Task<Connection::Ended> Connection::describe(std::string name, GivenUp given_up) {
  return finish(PQsendDescribePrepared(connection_, name.c_str()), kForever, std::move(given_up),
                nullptr);
}
Task<Connection::Ended> Connection::query(std::string name, std::vector<const char*> values,
                                          GivenUp given_up, Row row) {
  const int sent = PQsendQueryPrepared(connection_, name.c_str(), static_cast<int>(values.size()),
                                       values.data(), nullptr, nullptr, 0);
  if (sent == 1) PQsetSingleRowMode(connection_);
  return finish(sent, kForever, std::move(given_up), std::move(row));
}
Task<Connection::Ended> Connection::simple(std::string text, MonoTime until, GivenUp given_up) {
  return finish(PQsendQuery(connection_, text.c_str()), until, std::move(given_up), nullptr);
}

// What was sent goes out, and its results are taken in until there are no more.
Task<Connection::Ended> Connection::finish(int sent, MonoTime until, GivenUp given_up, Row row) {
  const auto self = shared_from_this();
  Ended ended;
  cancelled_ = false;
  limit_ = until;
  if (sent != 1) {
    break_off();
    ended.fault = own_fault(Errc::reset);
    co_return ended;
  }
  for (;;) {
    const bool there = co_await arrived(given_up);
    if (!there) {
      break_off();
      if (!ended.fault) ended.fault = own_fault(Errc::reset);
      co_return ended;
    }
    ResultPtr result(PQgetResult(connection_));
    if (!result) break;
    switch (PQresultStatus(result.get())) {
      case PGRES_SINGLE_TUPLE:
        if (row && !cancelled_) row(*result);
        break;
      case PGRES_COMMAND_OK:
      case PGRES_TUPLES_OK:
        ended.last = std::move(result);
        break;
      default:
        if (!ended.fault) ended.fault = fault_of(*result);
    }
  }
  const bool over = ended.fault && ends_session(ended.fault->state);
  if (over || PQstatus(connection_) != CONNECTION_OK) break_off();
  co_return ended;
}

// Until PQgetResult would not wait. False: the connection is of no more use.
Task<bool> Connection::arrived(const GivenUp& given_up) {
  for (;;) {
    if (!cancelled_ && given_up()) begin_cancel();
    const int unsent = PQflush(connection_);
    if (unsent < 0) co_return false;
    if (unsent == 0 && PQisBusy(connection_) == 0) co_return true;
    if (MonoClock::now() >= limit_) co_return false;
    const auto what = unsent > 0 ? Descriptor::wait_write : Descriptor::wait_read;
    const Woken woken = co_await wait(what, limit_);
    if (woken == Woken::ready && PQconsumeInput(connection_) == 0) co_return false;
  }
}

// PQcancel waits for the server, which may not answer at all. So it has a thread of its own, which
// touches nothing of ours but one flag.
void Connection::begin_cancel() {
  cancelled_ = true;
  limit_ = std::min(limit_, MonoClock::now() + kToCancel);
  if (cancelling_now.fetch_add(1) >= kMostCancelling) {
    --cancelling_now;
    return;  // the server ends it by its own statement_timeout
  }
  const std::shared_ptr<PGcancel> what(PQgetCancel(connection_), PQfreeCancel);
  auto told = std::make_shared<std::atomic<bool>>(false);
  cancelling_.push_back(told);
  try {
    std::thread([what, told] {
      char error[256];
      if (what) PQcancel(what.get(), error, sizeof error);
      *told = true;
      --cancelling_now;
    }).detach();
  } catch (const std::system_error&) {  // no thread to be had
    *told = true;
    --cancelling_now;
  }
}

Task<void> Connection::settle() {
  const auto self = shared_from_this();
  const MonoTime until = MonoClock::now() + kToCancel;
  const auto all_told = [&] {
    return std::all_of(cancelling_.begin(), cancelling_.end(),
                       [](const auto& told) { return told->load(); });
  };
  while (!broken_ && !all_told()) {
    if (MonoClock::now() >= until) break_off();
    timer_.expires_after(kLookAgain);
    co_await timer_.async_wait(asio::as_tuple(async::use_task));
  }
  cancelling_.clear();
}

bool Connection::lives() {
  if (broken_) return false;
  if (PQconsumeInput(connection_) == 0 || PQstatus(connection_) != CONNECTION_OK) break_off();
  return !broken_;
}

Task<bool> Connection::idle(MonoTime until) {
  const auto self = shared_from_this();
  const Woken woken = co_await wait(Descriptor::wait_read, until);
  if (woken == Woken::ready) {
    const bool lives = PQconsumeInput(connection_) == 1;
    // What comes unasked is a notification, or the server's last word.
    const ResultPtr word(lives && PQisBusy(connection_) == 0 ? PQgetResult(connection_) : nullptr);
    if (!lives || PQstatus(connection_) != CONNECTION_OK) break_off();
  }
  co_return !broken_;
}

std::vector<std::string> Connection::notifications() {
  std::vector<std::string> out;
  while (PGnotify* told = PQnotifies(connection_)) {
    out.emplace_back(told->extra);
    PQfreemem(told);
  }
  return out;
}

}  // namespace tanggul::postgres
