#pragma once

namespace tanggul::app {

// What a worker starts for each job: takes the order on standard input and says the report, a line,
// on standard output. Status 0 whatever the report says.
int do_ordered_job();

}  // namespace tanggul::app
