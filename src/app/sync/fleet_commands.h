#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "app/config/environment.h"
#include "app/sync/enqueue_command.h"
#include "app/sync/read_command.h"
#include "app/sync/revive_command.h"
#include "app/sync/work_command.h"
#include "app/terminal/console.h"

namespace tanggul::app {

// `tanggul sync …`: what the command line may say, and what is done then.
class FleetCommands {
 public:
  explicit FleetCommands(CLI::App& app);
  FleetCommands(const FleetCommands&) = delete;  // the parser holds references
  FleetCommands& operator=(const FleetCommands&) = delete;

  // After parsing; nullopt: it was another command.
  std::optional<int> run(const Console& console, const Environment& environment);

 private:
  CLI::App* add(CLI::App& to, const char* name, const char* what);
  void add_read(CLI::App& to);
  void add_enqueue(CLI::App& to);
  void add_work(CLI::App& to);
  void add_revive(CLI::App& to);
  int run_with_config(const Console& console, const Environment& environment);

  CLI::App *reading_, *enqueuing_, *working_, *asking_, *reviving_, *ordered_;
  std::string config_, data_;
  ReadQuery read_;
  EnqueueQuery enqueue_;
  WorkQuery work_;
  ReviveQuery revive_;
  bool json_ = false;
};

}  // namespace tanggul::app
