#pragma once

#include "readers/arxiv/id.h"

namespace tanggul::app {

// By the calendar of this machine; no paper has a later identifier.
readers::arxiv::Month this_month();

}  // namespace tanggul::app
