#pragma once

#include <string>
#include <string_view>

#include "cache/entry.h"
#include "cache/flight.h"
#include "ports/handler.h"
#include "shield/upstream.h"

namespace tanggul::shield {

// How an answer came about, for Cache-Status (RFC 9211), X-Cache-Coalesced and the metrics.
struct Provenance {
  Outcome outcome = Outcome::miss;
  bool hit = false;
  std::string_view forward;  // uri-miss, vary-miss, stale, request, method, bypass; empty on a hit
  int forward_status = 0;
  bool stored = false;
  bool coalesced = false;   // another request's fetch paid for it
  bool let_go = false;      // could not be shared: collapsed=?0
  bool passed = false;      // through, unshared: what the origin makes of conditions is the answer
  std::string_view detail;  // what was unusual
};

// Writes the last lines of a head: Age, Cache-Status, X-Cache-Coalesced.
void write_provenance(std::string& lines, const Provenance& how, std::optional<Duration> age,
                      std::optional<Duration> ttl);

// Fills `reply` from an entry: the whole, the ranges asked for, or 304 or 412 when the client's
// conditions say so.
void deliver_entry(const ports::Call& call, ports::Reply& reply, const cache::EntryPtr& entry,
                   const Provenance& how, WallTime now);

// A body that is still arriving: the whole from byte 0, or a range of it. `digested`: its end
// brings the proof that it is right. The reader counts as a caller of the flight, which the caller
// of this function has attached for it.
void deliver_stream(const ports::Call& call, ports::Reply& reply, const cache::FlightPtr& flight,
                    const cache::Flight::View& view, const Provenance& how, bool digested);

// An error of ours as application/problem+json (RFC 9457). `retry_after` zero: none.
void deliver_problem(ports::Reply& reply, int status, std::string_view type, std::string_view title,
                     std::string_view detail, std::string_view origin, Duration retry_after,
                     const Provenance& how);

// A failure of the fetch, as each of its waiters gets it.
void deliver_failure(ports::Reply& reply, const cache::Failure& failure, std::string_view origin,
                     const Provenance& how, MonoTime now, Rng& rng);

bool accepts_gzip(const http::RequestHead& head);

}  // namespace tanggul::shield
