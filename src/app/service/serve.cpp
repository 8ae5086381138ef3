#include "app/service/serve.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <csignal>

#include "adapters/sqlite/demo.h"
#include "app/service/data_directory.h"
#include "app/service/service.h"
#include "base/log.h"

namespace tanggul::app {

namespace {

// A disk that has been ours and cannot be written any more must not be an outage at the next start.
// Where nobody has been before it is the configuration that is wrong.
bool has_become_read_only(const std::string& path) {
  struct statvfs now;
  return ::access((path + "/format").c_str(), F_OK) == 0 && ::statvfs(path.c_str(), &now) == 0 &&
         (now.f_flag & ST_RDONLY) != 0;
}

}  // namespace

int serve(const Config& config, const ConfigLoader& load_again, const ServiceNotify& notify) try {
  std::signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  std::string error;
  const auto directory = DataDirectory::open(config.data_dir, error);
  if (!directory && !has_become_read_only(config.data_dir)) {
    log::error("{}", error);
    return 1;
  }
  Config effective = config;
  if (!directory) {
    log::error("{}; serving without a cache on disk", error);
    effective.shield.disk = 0;
  }
  if (config.demo)
    if (const std::string wrong = sqlite::make_demo(demo_file(config.data_dir)); !wrong.empty()) {
      log::error("cannot make the table to try things out with: {}", wrong);
      return 1;
    }
  Service service(std::move(effective), load_again, notify);
  return service.run();
} catch (const std::exception& e) {
  log::error("cannot start: {}", e.what());
  return 1;
}

}  // namespace tanggul::app
