#include "app/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/client/admin_address.h"
#include "app/client/gate.h"
#include "app/client/once.h"
#include "app/client/purge.h"
#include "app/client/status.h"
#include "app/client/status_watch.h"
#include "app/config/discovery.h"
#include "app/config/environment.h"
#include "app/config/named_files.h"
#include "app/config/units.h"
#include "app/config/url.h"
#include "app/sync/catalog_commands.h"
#include "app/sync/fleet_commands.h"
#include "app/version.h"
#include "base/bytes.h"
#include "base/log.h"
#include "shield/once_key.h"

namespace tanggul::app {
namespace {

struct Options {
  std::string config, listen, admin, data, file, admin_url, origin, wait, spread, interval;
  std::string via, key, output, token_env = "TANGGUL_ONCE_TOKEN";
  std::vector<std::string> urls, prefixes, origins, tags, command;
  bool json = false, watch = false, require = false, demo = false;
};

std::optional<std::string> set(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

void print(const Console& console, std::string_view what, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) console.err << what << printable(line) << '\n';
}

// Errors of the files that a good configuration names make it one that cannot be used.
LoadedConfig with_files(LoadedConfig loaded) {
  if (!loaded.config) return loaded;
  const FileFaults files = faults_of_files(*loaded.config);
  auto& warnings = loaded.config->warnings;
  warnings.insert(warnings.end(), files.warnings.begin(), files.warnings.end());
  loaded.errors = files.errors;
  if (!files.errors.empty()) loaded.config.reset();
  return loaded;
}

// Prints what is wrong; true: it can be used.
bool tell(const Console& console, const LoadedConfig& loaded) {
  print(console, "error: ", loaded.errors);
  if (loaded.config) print(console, "warning: ", loaded.config->warnings);
  return loaded.config.has_value();
}

// Where the data directory is, another reading of nothing tells.
LoadedConfig load_demo(const Overrides& overrides, const Environment& environment) {
  const LoadedConfig empty = parse_config("", "settings", overrides, environment);
  if (!empty.config) return empty;
  const std::string directory = std::filesystem::absolute(empty.config->data_dir).string();
  LoadedConfig loaded = parse_config(demo_yaml(directory), "settings", overrides, environment);
  if (loaded.config) loaded.config->demo = true;
  return loaded;
}

int serve_command(const Options& options, const Console& console, const Environment& environment,
                  const Serve& serve) {
  Overrides overrides{set(options.listen), set(options.admin), set(options.data), {}};
  if (options.demo && !options.config.empty()) {
    console.err << "error: --demo has a configuration of its own; leave out --config, or it\n";
    return kWrongUsage;
  }
  const auto load = [&] {
    if (options.demo) return load_demo(overrides, environment);
    return options.config.empty() ? parse_config("", "settings", overrides, environment)
                                  : load_config(options.config, overrides, environment);
  };
  LoadedConfig loaded = load();
  if (loaded.config && !loaded.config->names_origins) {
    const auto found = discover_npm(*loaded.config, environment, ask_npm);
    if (!found) {
      console.err << "error: no package registry was found in this machine's settings; name one "
                     "under origins: in a file, and start with --config FILE\n";
      return kWrongUsage;
    }
    log::info("npm's registry is {}, found in {}", mask_userinfo(found->url), found->source);
    overrides.npm = found->url;  // kept: a reload that names no origins means this one
    loaded = load();
  }
  loaded = with_files(std::move(loaded));
  if (!tell(console, loaded)) return kWrongUsage;
  return serve(*loaded.config, [&] {
    LoadedConfig again = load();
    if (again.config && !again.config->names_origins) {
      again.config.reset();
      again.errors = {options.config + ": names no origins any more; write them under origins:"};
    }
    return with_files(std::move(again));
  });
}

int check_command(const Options& options, const Console& console, const Environment& environment) {
  const LoadedConfig loaded = with_files(load_config(options.file, {}, environment));
  if (!tell(console, loaded)) return kWrongUsage;
  console.out << effective_yaml(*loaded.config);
  if (!loaded.config->names_origins) {
    console.out << "# origins: none named; serve looks for them in this machine's own settings\n";
  }
  return kDone;
}

// True: `out` holds what the option says, or still what it held where nothing is said.
bool read_option(const std::string& text, std::string_view option, const Console& console,
                 Duration& out) {
  if (text.empty()) return true;
  const Read<Duration> duration = read_duration(text, out);
  if (duration.value) out = *duration.value;
  if (!duration.value)
    console.err << fmt::format("error: {}: \"{}\" {}\n", option, text, duration.wrong);
  return duration.value.has_value();
}

int status_command(const Options& options, const Console& console, const Environment& environment) {
  const auto admin = admin_address(options.config, options.admin_url, environment, console);
  if (!admin) return kWrongUsage;
  if (!options.watch) return show_status(*admin, options.json, console);
  WatchQuery query{*admin, options.json};
  if (!read_option(options.interval, "--interval", console, query.interval)) return kWrongUsage;
  query.interval = std::max<Duration>(query.interval, 100ms);
  return watch_status(query, console);
}

int purge_command(const Options& options, const Console& console, const Environment& environment) {
  if (options.urls.empty() && options.prefixes.empty() && options.origins.empty() &&
      options.tags.empty()) {
    console.err << "error: purge what? Name URLs, or --prefix P, --origin NAME or --tag T\n";
    return kWrongUsage;
  }
  for (const auto* names : {&options.urls, &options.prefixes, &options.origins, &options.tags})
    if (std::find(names->begin(), names->end(), "") != names->end()) {
      console.err << "error: purge what? A name is empty\n";
      return kWrongUsage;
    }
  const auto admin = admin_address(options.config, options.admin_url, environment, console);
  if (!admin) return kWrongUsage;
  return purge({*admin, options.urls, options.prefixes, options.origins, options.tags},
               options.json, console);
}

int gate_command(const Options& options, const Console& console, const Environment& environment) {
  const auto admin = admin_address(options.config, options.admin_url, environment, console);
  if (!admin) return kWrongUsage;
  GateQuery query{*admin, options.origin};
  if (!read_option(options.wait, "--wait", console, query.wait) ||
      !read_option(options.spread, "--spread", console, query.spread))
    return kWrongUsage;
  return wait_at_gate(query, console);
}

int once_command(const Options& options, const Console& console, const Environment& environment) {
  if (!shield::valid_once_key(options.key)) {
    console.err << "error: --key: is no key; write 1 to 1024 bytes of UTF-8 without control "
                   "characters\n";
    return kWrongUsage;
  }
  std::error_code ec;
  const std::filesystem::path output(options.output);
  const auto folder = output.has_parent_path() ? output.parent_path() : std::filesystem::path(".");
  if (!output.has_filename() || std::filesystem::is_directory(output, ec) ||
      !std::filesystem::is_directory(folder, ec)) {
    console.err << fmt::format(
        "error: --output: \"{}\" is no file's path in a directory that is "
        "there\n",
        printable(options.output));
    return kWrongUsage;
  }
  const auto via = shield_url(options.config, options.via, environment, console);
  if (!via) return kWrongUsage;
  OnceQuery query;
  query.via = *via;
  query.key = options.key;
  query.output = options.output;
  query.command = options.command;
  query.token = environment(options.token_env).value_or("");
  query.require = options.require;
  if (!read_option(options.wait, "--wait", console, query.wait)) return kWrongUsage;
  return build_once(query, console);
}

// CLI11's own words, in our exit status.
int parse_failed(const CLI::App& app, const CLI::ParseError& error, const Console& console) {
  const int code = app.exit(error, console.out, console.err);
  return code == 0 ? kDone : kWrongUsage;
}

}  // namespace

int run_command_line(int argc, const char* const* argv, const Console& console,
                     const Serve& serve) {
  Options options;
  CLI::App app("A pull-through cache and origin shield: the wave breaks here, not on the origin.",
               "tanggul");
  app.set_version_flag("--version", std::string("tanggul ") + kVersion);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 75 still down (gate) or "
      "still being built (once).");

  CLI::App* serving = app.add_subcommand("serve", "Run the shield");
  serving->add_option("--config", options.config,
                      "The configuration (YAML or JSON); without it, what this machine's own "
                      "package clients use");
  serving->add_option("--listen", options.listen, "Where clients are served, HOST:PORT");
  serving->add_option("--admin", options.admin, "Where metrics and status are served, HOST:PORT");
  serving->add_option("--data", options.data, "The data directory");
  serving->add_flag("--demo", options.demo,
                    "A slow table of products in SQLite, to try everything out with");

  CLI::App* checking =
      app.add_subcommand("check", "Validate a configuration and print it as it would take effect");
  checking->add_option("FILE,--config", options.file, "The configuration")->required();

  const auto takes_admin = [&](CLI::App* command, std::string_view more = "") {
    command->add_option(
        "--admin", options.admin_url,
        fmt::format("The URL of the admin port{} (default {})", more, AdminAddress().url));
    command->add_option("--config", options.config,
                        "Take the admin address from this configuration");
  };
  CLI::App* asking = app.add_subcommand("status", "Show how each origin fares");
  takes_admin(asking);
  asking->add_flag("--json", options.json, "Print the status as JSON");
  CLI::Option* watching =
      asking->add_flag("--watch", options.watch, "Show it again and again, until Ctrl-C");
  asking->add_option("--interval", options.interval, "How often (default 1s)")->needs(watching);

  CLI::App* purging = app.add_subcommand("purge", "Forget what is cached or remembered");
  takes_admin(purging);
  purging->add_option("URL", options.urls,
                      "Of one resource, as clients use it or as upstream; or once:KEY");
  purging->add_option("--prefix", options.prefixes, "All that lies below this URL or path");
  purging->add_option("--origin", options.origins,
                      "All of this origin; also lifts the rest that a 429 asked for");
  purging->add_option("--tag", options.tags, "All that carries this Cache-Tag or Surrogate-Key");
  purging->add_flag("--json", options.json, "Print the counts as JSON");

  CLI::App* gating =
      app.add_subcommand("gate", "Wait until an origin serves: exit status 0 go, 75 still down");
  takes_admin(gating, ", or of the port that clients use,");
  gating->add_option("--origin", options.origin, "Its name")->required();
  gating->add_option("--wait", options.wait, "At most this long (default 10m)");
  gating->add_option("--spread", options.spread,
                     "Those who have waited go on spread over this time (default 10s)");

  CLI::App* building = app.add_subcommand(
      "once", "Run a command on one of all machines that ask, the others get the file it made");
  building->add_option("--via", options.via,
                       "The URL of the port that clients use (default http://127.0.0.1:8080)");
  building->add_option("--config", options.config, "Take that address from this configuration");
  building
      ->add_option("--key", options.key, "What is built: whoever asks for the same gets the same")
      ->required();
  building->add_option("--output", options.output, "The file that COMMAND makes")->required();
  building->add_option("--wait", options.wait,
                       "For what another builds, at most this long (default 30m)");
  building->add_option("--token-env", options.token_env,
                       "The variable with the token of once_token_env, needed from other machines "
                       "(default TANGGUL_ONCE_TOKEN)");
  building->add_flag("--require", options.require,
                     "Fail if no shield answers or the file cannot be shared, instead of building "
                     "for this machine alone");
  building->add_option("COMMAND", options.command, "After --; finds PATH in TANGGUL_ONCE_OUTPUT")
      ->required();
  building->footer(
      "Exit status: 0 the file is there, else that of COMMAND, wherever it ran (2 and 75 are told "
      "as 1), 75 still being built when the wait is over, 1 failed, 2 wrong usage.");

  FleetCommands fleet(app);
  CatalogCommands catalog(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_failed(app, error, console);
  }
  const Environment environment = process_environment();
  if (serving->parsed()) return serve_command(options, console, environment, serve);
  if (checking->parsed()) return check_command(options, console, environment);
  if (purging->parsed()) return purge_command(options, console, environment);
  if (building->parsed()) return once_command(options, console, environment);
  if (gating->parsed()) return gate_command(options, console, environment);
  if (const auto status = fleet.run(console, environment)) return *status;
  if (const auto status = catalog.run(console, environment)) return *status;
  return status_command(options, console, environment);
}

}  // namespace tanggul::app
