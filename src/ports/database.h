#pragma once

#include <cstddef>

#include "ports/origin.h"

namespace tanggul::ports {

// A database as an origin: `target` names the values that its one query is asked with (see
// registry/sql). One object for the whole process; any thread may call it.
class Database : public Origin {
 public:
  struct Figures {
    std::size_t size = 0;     // connections at most
    std::size_t idle = 0;     // open, and free
    std::size_t busy = 0;     // with a query, or with the end of one that nobody waits for
    std::size_t opening = 0;  // being opened
    std::size_t waiting = 0;  // queries for which no connection is free
  };
  virtual Figures pool() const = 0;
  // Takes no more queries; those that run may end.
  virtual void close() = 0;
};

}  // namespace tanggul::ports
