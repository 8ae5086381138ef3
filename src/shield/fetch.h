#pragma once

#include <optional>
#include <string>

#include "cache/flight.h"
#include "ports/membership.h"
#include "ports/origin.h"
#include "ports/patience.h"
#include "registry/kind.h"
#include "shield/interims.h"
#include "shield/outside.h"
#include "shield/shield.h"
#include "shield/steps.h"
#include "tanggul/policy/freshness.h"

namespace tanggul::shield {

// All that a flight needs to fly by itself, none of it borrowed from a connection, except the body
// of a passed-through request, whose caller waits for the end.
struct FetchJob {
  cache::FlightPtr flight;
  UpstreamPtr upstream;
  std::string key;      // where the answer is stored and a failure remembered; empty: nowhere
  std::string primary;  // the same without the variant
  std::string method = "GET";
  registry::Plan plan;
  registry::Classified what;
  http::Headers headers;   // to be sent, conditions not included
  cache::EntryPtr stored;  // what is held, to be revalidated
  std::optional<registry::Expected> digest;
  std::string rest, base;  // for documents: see registry::Kind
  bool had_authorization = false;
  bool in_table = false;                     // others may join
  bool solo = false;                         // for one caller alone: the answer is not stored
  std::shared_ptr<ports::RequestBody> body;  // of a passed-through request
  std::shared_ptr<Interims> interims;        // to the request that started it; null: it takes none
  std::string client;                        // whom the queue counts it for
  std::string credential;                    // of a passthrough credential, hashed; empty: none
  MonoTime deadline;                         // no retry sleeps past it
  bool for_range = false;                    // its starter wants but a range of the whole
  bool part = false;                         // the Range goes on: a part is asked for
  bool background = false;                   // no request waits for it
  bool may_hold = false;                     // waits while the breaker is open
  cache::Generation generation = 0;          // of purges, as it began
  // The same of the cluster's; null: there is none.
  std::shared_ptr<const ports::PurgePlace> asked_at;
  Duration patience = ports::Patience::kAtMost;  // what is left to wait on what nodes share
};

// `outside` outlives the fetch. Runs the steps from the second look-up to landing: breaker, limit,
// origin, verify, store. Always lands the flight, whatever happens, and takes it out of the table.
Task<void> run_fetch(Shield& shield, const Outside& outside, FetchJob job);

// The same as a task of its own on `executor`, named for the log.
void start_fetch(Shield& shield, const Outside& outside, async::Executor executor,
                 std::string_view task, FetchJob job);

}  // namespace tanggul::shield
