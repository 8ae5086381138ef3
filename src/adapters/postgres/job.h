#pragma once

#include <atomic>
#include <memory>

#include "adapters/postgres/connection.h"
#include "async/waiter.h"
#include "registry/sql/answer.h"
#include "registry/sql/values.h"

namespace tanggul::postgres {

// One query between the thread that wants it and the pool's.
struct Job {
  registry::sql::Values values;
  bool probe = false;  // asks for nothing but whether the database answers
  bool fresh = false;  // on a connection that has just been opened
  MonoTime deadline = kForever;
  async::WaiterPtr waiter;

  // --- the pool's thread ---
  std::weak_ptr<Connection> runs_on;

  // --- from the one to the other ---
  std::atomic<bool> given_up{false};
  std::atomic<bool> taken{false};  // by a connection
  // One of these, before `done`.
  registry::sql::Answer answer;
  std::optional<Fault> fault;
  std::atomic<bool> done{false};

  void finish() {
    done = true;
    waiter->wake();
  }
};
using JobPtr = std::shared_ptr<Job>;

}  // namespace tanggul::postgres
