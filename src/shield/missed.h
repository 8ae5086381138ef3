#pragma once

#include "shield/fetch.h"

namespace tanggul::shield {

// Tells the job's key pattern that a request is about to cost a fetch. Not of what renews an entry
// in the background, whose readers were served, nor of what has no key (writes, the gate's probe):
// sharing could have spared neither.
void note_missed(const FetchJob& job, MonoTime now);

}  // namespace tanggul::shield
