#pragma once

#include <memory>
#include <string>

#include "ports/queue.h"

namespace tanggul::sqlite {

struct QueueConfig {
  std::string file;        // made where it is not there yet; its folder is
  Duration busy = 3s;      // for what another process has locked, then stalled
  int deliveries = 20;     // so often a job is claimed and never settled, then it is dead
  int most_dead = 10'000;  // of one queue; the oldest are dropped
};

// Queues in one file, for the processes of one machine (their clocks are one). Each call is a
// transaction: what it acknowledges outlives a crash of every process; after one of the machine
// perhaps not the latest calls, each whole.
//
// Keys are unique among the jobs of a queue that are not dead, and among those that are: of two
// that died the later one is kept. What lapses is claimed again by whoever claims next; one of
// `deliveries` claims is then buried instead, its failure "deliveries". A claim that waits hears
// at once of jobs from its own object, and within a quarter of a second of those from others.
// Times are whole microseconds. Once the file is removed or replaced, writing fails with io.
//
// A file of a newer format, or of another program, is refused.
Expected<std::unique_ptr<ports::Queue>> open_queue(const QueueConfig& config);

}  // namespace tanggul::sqlite
