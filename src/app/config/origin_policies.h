#pragma once

#include "app/config/origin_config.h"

namespace tanggul::app {

// The keys of an origin that say how it is cached, asked and guarded, over what `draft` holds.
void read_policies(Section& section, OriginDraft& draft);

// An origin of which every lifetime of ours is off is cached by the RFC and by nothing else: what
// the file leaves open then follows it. Requests are forwarded whole, and the origin's failures are
// passed on as they come, once.
void complete_policies(OriginDraft& draft);

}  // namespace tanggul::app
