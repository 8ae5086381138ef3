#include "app/sync/fleet_commands.h"

#include <CLI/CLI.hpp>
#include <ostream>

#include "app/sync/fleet_config.h"
#include "app/sync/job_command.h"
#include "app/sync/sync_status_command.h"
#include "base/bytes.h"

namespace tanggul::app {

FleetCommands::FleetCommands(CLI::App& app) {
  CLI::App* const syncing = app.add_subcommand("sync", "Link repositories and papers");
  syncing->require_subcommand(1);
  add_read(*syncing);
  add_enqueue(*syncing);
  add_work(*syncing);
  asking_ = add(*syncing, "status", "Show the queues, the pools and what was given up");
  asking_->add_flag("--json", json_, "Print the status as JSON");
  add_revive(*syncing);
  // What the workers start; nobody else's.
  ordered_ = syncing->add_subcommand("job", "Do one job that is told on standard input")->group("");
}

// One that needs the configuration.
CLI::App* FleetCommands::add(CLI::App& to, const char* name, const char* what) {
  CLI::App* const command = to.add_subcommand(name, what);
  add_config_options(*command, config_, data_);
  return command;
}

void FleetCommands::add_read(CLI::App& to) {
  reading_ = to.add_subcommand(
      "read", "Show what would be extracted from a file or checkout: papers, results, models");
  reading_
      ->add_option("PATH", read_.path, "A file, a folder, or a git repository, read at its HEAD")
      ->required();
  reading_->add_flag("--json", read_.json, "Print one JSON object");
  reading_->add_option("--pool", read_.pool,
                       "Under the limits of this pool of workers (default repo_clone)");
  reading_->add_option("--config", config_, "Take the pools from this configuration");
}

void FleetCommands::add_enqueue(CLI::App& to) {
  enqueuing_ = add(to, "enqueue", "Have repositories read: one job for each");
  enqueuing_->add_option("URL", enqueue_.urls, "Of a repository, as git or a browser has it");
  enqueuing_->add_option("--file", enqueue_.file,
                         "A list of them, one a line, # begins a comment; - is standard input");
  enqueuing_->add_option("--pool", enqueue_.pool, "For this pool (default repo_clone)");
  enqueuing_->add_flag("--json", enqueue_.json, "Print the counts as JSON");
}

void FleetCommands::add_work(CLI::App& to) {
  working_ = add(to, "work", "Do the jobs of the pools, until SIGTERM or Ctrl-C");
  working_->add_flag("--once", work_.once, "Until nothing is due and nothing is being done");
  working_->add_option("--release", work_.release,
                       "What the workers call themselves, in metrics and in the catalog (default: "
                       "this version)");
  working_->add_option("--track", work_.track, "stable or canary (default stable)")
      ->check(CLI::IsMember({"stable", "canary"}));
  working_->add_option("--pool", work_.pools, "Only this pool; may be given again (default all)");
  working_
      ->add_option("--slot", work_.slot,
                   "Of several on one machine: added to the port of sync.listen (default 0)")
      ->check(CLI::Range(0, 1000));
}

void FleetCommands::add_revive(CLI::App& to) {
  reviving_ = add(to, "revive", "Have jobs that were kept apart done again");
  reviving_->add_option("URL", revive_.urls, "Of these repositories (default all)");
  reviving_->add_option("--pool", revive_.pool, "Of this pool (default all)");
  reviving_
      ->add_option("--failure", revive_.failure,
                   "Kept apart for this: poison, quarantine, deliveries (default any)")
      ->check(CLI::IsMember({"poison", "quarantine", "deliveries"}));
  reviving_->add_flag("--json", revive_.json, "Print the count as JSON");
}

std::optional<int> FleetCommands::run(const Console& console, const Environment& environment) {
  if (ordered_->parsed()) return do_ordered_job();
  if (reading_->parsed() && config_.empty()) return read_source(read_, console);
  const bool ours = reading_->parsed() || enqueuing_->parsed() || working_->parsed() ||
                    asking_->parsed() || reviving_->parsed();
  if (!ours) return std::nullopt;
  return run_with_config(console, environment);
}

int FleetCommands::run_with_config(const Console& console, const Environment& environment) {
  const auto config = fleet_config(config_, data_, environment, console);
  if (!config) return kWrongUsage;
  if (reading_->parsed()) {
    read_.pools = config->sync.pools;
    return read_source(read_, console);
  }
  if (enqueuing_->parsed()) return enqueue(enqueue_, *config, console);
  if (reviving_->parsed()) return revive(revive_, *config, console);
  if (working_->parsed()) return work(work_, *config, console);
  return show_sync_status(*config, json_, console);
}

}  // namespace tanggul::app
