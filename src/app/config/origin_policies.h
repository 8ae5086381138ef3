#pragma once

#include "app/config/origin_config.h"

namespace tanggul::app {

// The keys of an origin that say how it is cached, asked and guarded, over what `draft` holds.
void read_policies(Section& section, OriginDraft& draft);

}  // namespace tanggul::app
