#pragma once

#include <memory>

#include "async/task.h"
#include "base/result.h"
#include "cache/entry.h"
#include "shield/fetch.h"
#include "shield/flight_sink.h"
#include "shield/shield.h"
#include "tanggul/policy/freshness.h"

namespace tanggul::shield {

// The entry of a whole response: body, headers as clients get them, times. Documents are rewritten
// here, once. Errc::bad_response when a document is not one.
Task<Result<std::shared_ptr<cache::Entry>>> make_entry(Shield& shield, const FetchJob& job,
                                                       FlightSink& sink, WallTime sent_at,
                                                       Duration cost);

// `held` after a 304 (RFC 9111 3.2 and 4.3.4): its body with the new headers; the caller judges
// them and gives it its new life. Vary is never taken from a 304, which may name less than the 200
// did.
std::shared_ptr<cache::Entry> updated(const cache::Entry& held, const http::Headers& headers);
void give_life(cache::Entry& entry, const policy::Lifetime& lifetime, WallTime sent_at,
               Duration cost);

// Publishes what a flight has brought under its key, the variant's where it has one, or marks the
// key as one whose answers may not be shared. The failure that was remembered is forgotten. Tells
// where it went: memory, disk, solo, none.
std::string_view publish(Shield& shield, const FetchJob& job, const cache::EntryPtr& entry,
                         bool storable, const cache::Sharing& sharing);

// Writes down that a key's answers vary by these request headers. By which they do altogether, as
// far as is known: names that other variants were selected by stay.
std::vector<std::string> tell_vary(Shield& shield, const std::string& key,
                                   const std::vector<std::string>& names);

void remember_failure(Shield& shield, const std::string& key, const cache::Failure& failure,
                      WallTime now, Duration keep);

// Directs a request to an absolute URL that a document named. Credentials stay with the upstream.
void point_elsewhere(const std::string& url, const UpstreamUrl& upstream,
                     const OriginConfig& config, ports::OriginRequest& request);

}  // namespace tanggul::shield
