#include "app/service/serve.h"

#include <sys/statvfs.h>

#include <csignal>

#include "app/service/data_directory.h"
#include "app/service/service.h"
#include "base/log.h"

namespace tanggul::app {

namespace {

// A disk that the kernel has taken from us must not be an outage at the next start.
bool is_read_only(const std::string& path) {
  struct statvfs now{};
  return ::statvfs(path.c_str(), &now) == 0 && (now.f_flag & ST_RDONLY) != 0;
}

}  // namespace

int serve(const Config& config, const ConfigLoader& load_again, const ServiceNotify& notify) try {
  std::signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  std::string error;
  const auto directory = DataDirectory::open(config.data_dir, error);
  if (!directory && !is_read_only(config.data_dir)) {
    log::error("{}", error);
    return 1;
  }
  Config effective = config;
  if (!directory) {
    log::error("{}; serving without a cache on disk", error);
    effective.shield.disk = 0;
  }
  Service service(std::move(effective), load_again, notify);
  return service.run();
} catch (const std::exception& e) {
  log::error("cannot start: {}", e.what());
  return 1;
}

}  // namespace tanggul::app
