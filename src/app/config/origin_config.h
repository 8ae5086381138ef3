#pragma once

#include "app/config/config.h"
#include "app/config/section.h"

namespace tanggul::app {

struct OriginDraft {
  shield::OriginConfig config;
  OriginSettings settings;
};

// The keys of one origin, over what `draft` holds already: the defaults. What is wrong with them is
// in the section's report.
void read_origin(Section& section, OriginDraft& draft);

// What only a whole origin can be asked: a kind, an upstream, a mount. `section` is its own.
void complete_origin(Section& section, OriginDraft& draft);

}  // namespace tanggul::app
