#pragma once

#include "ports/leases.h"
#include "ports/origin.h"
#include "ports/shared_limits.h"
#include "ports/shared_store.h"

namespace tanggul::shield {

class Cluster;

// What one thread has of the outside: its way to the origins and, in a cluster, to what the nodes
// share; all of that or none. What it points to outlives whoever holds it.
struct Outside {
  // NOLINTNEXTLINE(google-explicit-constructor): a node by itself has nothing but origins
  Outside(ports::Origin& to) : origin(&to) {}

  bool clustered() const noexcept { return cluster != nullptr; }

  ports::Origin* origin;
  ports::Leases* leases = nullptr;
  ports::SharedStore* store = nullptr;
  ports::SharedLimits* limits = nullptr;
  Cluster* cluster = nullptr;
};

}  // namespace tanggul::shield
