#pragma once

#include <string>
#include <vector>

#include "shield/config.h"
#include "tanggul/http/message.h"

namespace tanggul::shield {

// What a request to the origin carries.
//
// A shared fetch carries what is in the key or selects a variant, never what is one caller's own:
// the negotiation headers, those that a Vary of this key has named, and a credential where the key
// holds it. So an answer to one client's X-Api-Key cannot reach another who has none.
// With all_request_headers it forwards the fields that it does not know, as a proxy has to unless
// configured otherwise (RFC 9110 5.1): for origins that alone say what may be kept of their
// answers, and by Vary for whom. Still withheld are cookies, conditions, ranges, what may be a
// credential by its name, and the fields by which clients have been known to steer a response
// unseen. A plan with fixed headers replaces what the client negotiates.
http::Headers shared_headers(const http::RequestHead& request, const registry::Plan& plan,
                             const std::vector<std::string>& vary, bool keyed_by_credential,
                             const OriginConfig& config);

// Of the names in a Vary those that can select anything: what is the hop's own never reaches the
// origin as the client sent it.
std::vector<std::string> selecting(std::vector<std::string> vary);

// Of what a shared fetch has carried the names that select nothing, yet may have shaped the answer.
std::vector<std::string> unselecting(const http::Headers& sent);

// A fetch for one caller alone carries all that its request did, end to end.
http::Headers own_headers(const http::RequestHead& request, const OriginConfig& config);

// Whether the shared form leaves out something that might have changed the answer.
bool withheld(const http::RequestHead& request, const OriginConfig& config);

}  // namespace tanggul::shield
