#include "app/sync/work_command.h"

#include <fmt/format.h>
#include <signal.h>

#include <ostream>

#include "app/sync/end_signals.h"
#include "base/bytes.h"

namespace tanggul::app {

int work(const WorkQuery& query, const Config& config, const Console& console) {
  for (const std::string& pool : query.pools)
    if (config.sync.find(pool) == nullptr) {
      console.err << fmt::format("error: --pool: there is no pool \"{}\"\n", printable(pool));
      return kWrongUsage;
    }
  const EndSignals signals;
  ::signal(SIGPIPE, SIG_IGN);
  Worker worker(query, config);
  if (const auto opened = worker.open(); !opened) {
    console.err << fmt::format("error: {}\n", printable(opened.error().detail));
    return kFailed;
  }
  if (worker.run(signals)) return kDone;
  console.err << "error: the queue does not say whether anything is left to do\n";
  return kFailed;
}

}  // namespace tanggul::app
