#include "app/service/serve.h"

#include <csignal>

#include "app/service/data_directory.h"
#include "app/service/service.h"
#include "base/log.h"

namespace tanggul::app {

int serve(const Config& config, const ConfigLoader& load_again, const ServiceNotify& notify) try {
  std::signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  std::string error;
  const auto directory = DataDirectory::open(config.data_dir, error);
  if (!directory) {
    log::error("{}", error);
    return 1;
  }
  Service service(config, load_again, notify);
  return service.run();
} catch (const std::exception& e) {
  log::error("cannot start: {}", e.what());
  return 1;
}

}  // namespace tanggul::app
