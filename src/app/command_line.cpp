#include "app/command_line.h"

#include <CLI/CLI.hpp>
#include <ostream>

#include "app/discovery.h"
#include "app/environment.h"
#include "app/named_files.h"
#include "app/status.h"
#include "app/url.h"
#include "app/version.h"
#include "base/log.h"

namespace tanggul::app {
namespace {

struct Options {
  std::string config, listen, admin, data, file, admin_url;
  bool json = false;
};

std::optional<std::string> set(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

void print(const Console& console, std::string_view what, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) console.err << what << line << '\n';
}

int serve_command(const Options& options, const Console& console, const Environment& environment,
                  const std::function<int(const Config&)>& serve) {
  Overrides overrides{set(options.listen), set(options.admin), set(options.data), {}};
  const auto load = [&] {
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
    overrides.npm = found->url;
    loaded = load();
  }
  print(console, "error: ", loaded.errors);
  if (!loaded.config) return kWrongUsage;
  print(console, "warning: ", loaded.config->warnings);
  const FileFaults files = faults_of_files(*loaded.config);
  print(console, "warning: ", files.warnings);
  print(console, "error: ", files.errors);
  if (!files.errors.empty()) return kWrongUsage;
  return serve(*loaded.config);
}

int check_command(const Options& options, const Console& console, const Environment& environment) {
  const LoadedConfig loaded = load_config(options.file, {}, environment);
  print(console, "error: ", loaded.errors);
  if (!loaded.config) return kWrongUsage;
  print(console, "warning: ", loaded.config->warnings);
  const FileFaults files = faults_of_files(*loaded.config);
  print(console, "warning: ", files.warnings);
  print(console, "error: ", files.errors);
  if (!files.errors.empty()) return kWrongUsage;
  console.out << effective_yaml(*loaded.config);
  if (!loaded.config->names_origins) {
    console.out << "# origins: none named; serve looks for them in this machine's own settings\n";
  }
  return kDone;
}

int status_command(const Options& options, const Console& console, const Environment& environment) {
  StatusQuery query;
  if (!options.config.empty()) {
    const LoadedConfig loaded = load_config(options.config, {}, environment);
    print(console, "error: ", loaded.errors);
    if (!loaded.config) return kWrongUsage;
    query.admin = "http://" + loaded.config->admin;
    query.token = environment(loaded.config->admin_token_env).value_or("");
  }
  if (!options.admin_url.empty()) query.admin = options.admin_url;
  return show_status(query, options.json, console);
}

// CLI11's own words, in our exit status.
int parse_failed(const CLI::App& app, const CLI::ParseError& error, const Console& console) {
  const int code = app.exit(error, console.out, console.err);
  return code == 0 ? kDone : kWrongUsage;
}

}  // namespace

int run_command_line(int argc, const char* const* argv, const Console& console,
                     const std::function<int(const Config&)>& serve) {
  Options options;
  CLI::App app("A pull-through cache and origin shield: the wave breaks here, not on the origin.",
               "tanggul");
  app.set_version_flag("--version", std::string("tanggul ") + kVersion);
  app.require_subcommand(1);
  app.footer("Exit status: 0 done, 1 failed, 2 wrong usage or configuration.");

  CLI::App* serving = app.add_subcommand("serve", "Run the shield");
  serving->add_option("--config", options.config,
                      "The configuration (YAML or JSON); without it, what this machine's own "
                      "package clients use");
  serving->add_option("--listen", options.listen, "Where clients are served, HOST:PORT");
  serving->add_option("--admin", options.admin, "Where metrics and status are served, HOST:PORT");
  serving->add_option("--data", options.data, "The data directory");

  CLI::App* checking =
      app.add_subcommand("check", "Validate a configuration and print it as it would take effect");
  checking->add_option("FILE,--config", options.file, "The configuration")->required();

  CLI::App* asking = app.add_subcommand("status", "Show how each origin fares");
  asking->add_option("--admin", options.admin_url,
                     "The URL of the admin port (default " + StatusQuery().admin + ")");
  asking->add_option("--config", options.config, "Take the admin address from this configuration");
  asking->add_flag("--json", options.json, "Print the status as JSON");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_failed(app, error, console);
  }
  const Environment environment = process_environment();
  if (serving->parsed()) return serve_command(options, console, environment, serve);
  if (checking->parsed()) return check_command(options, console, environment);
  return status_command(options, console, environment);
}

}  // namespace tanggul::app
