#pragma once

#include "tanggul/base/clock.h"
#include "tanggul/base/random.h"

namespace tanggul::policy {

// Whether this request refreshes an entry although it is fresh: now − delta · beta · ln(U) ≥ expiry
// (Vattani, Chierichetti, Lowenstein: "Optimal Probabilistic Cache Stampede Prevention", VLDB
// 2015). `delta` is what the last fetch took. The chance is exp(−remaining / (beta · delta)): with
// many readers one of them refreshes in time, and a flight keeps it to that one. beta 0: never
// before the expiry.
bool refresh_early(WallTime now, WallTime expiry, Duration delta, double beta, Rng& rng);

}  // namespace tanggul::policy
