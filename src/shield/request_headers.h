#pragma once

#include <string>
#include <vector>

#include "http/message.h"
#include "shield/config.h"

namespace tanggul::shield {

// What a request to the origin carries.
//
// A shared fetch carries what is in the key or selects a variant, never what is one caller's own:
// the negotiation headers, those that a Vary of this key has named, and a credential where the key
// holds it. So an answer to one client's X-Api-Key cannot reach another who has none.
// A plan with fixed headers replaces what the client negotiates.
http::Headers shared_headers(const http::RequestHead& request, const registry::Plan& plan,
                             const std::vector<std::string>& vary, bool keyed_by_credential,
                             const OriginConfig& config);

// Of the names in a Vary those that can select anything: what is the hop's own never reaches the
// origin as the client sent it.
std::vector<std::string> selecting(std::vector<std::string> vary);

// A fetch for one caller alone carries all that its request did, end to end.
http::Headers own_headers(const http::RequestHead& request, const OriginConfig& config);

// Whether the shared form leaves out something that might have changed the answer.
bool withheld(const http::RequestHead& request, const OriginConfig& config);

}  // namespace tanggul::shield
