#include "app/config/discovery.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/config/child_output.h"
#include "base/bytes.h"

extern char** environ;

namespace tanggul::app {
namespace {

constexpr Duration kNpmTime = 10s;

std::optional<std::string> file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(1_MiB, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string kept_path(const std::string& data_dir) { return data_dir + "/discovered.json"; }

std::optional<std::string> kept(const std::string& data_dir) {
  const auto text = file_text(kept_path(data_dir));
  if (!text) return std::nullopt;
  boost::system::error_code ec;
  const boost::json::value json = boost::json::parse(*text, ec);
  const auto* object = json.if_object();
  const auto* npm = ec || object == nullptr ? nullptr : object->if_contains("npm");
  if (npm == nullptr || !npm->is_string()) return std::nullopt;
  return std::string(npm->get_string());
}

// Written once; may hold a credential, hence for the owner alone. A data directory that cannot be
// written is told by what needs it more.
void keep(const std::string& data_dir, const std::string& url) {
  std::error_code ignored;
  std::filesystem::create_directories(data_dir, ignored);
  const int file =
      ::open(kept_path(data_dir).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::string text = boost::json::serialize(boost::json::object{{"npm", url}}) + "\n";
  const bool whole = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  if (!whole) ::unlink(kept_path(data_dir).c_str());
}

bool of_npm_settings(std::string_view variable) {
  return to_lower(variable.substr(0, variable.find('='))).starts_with("npm_config_");
}

std::vector<Discovered> settings(const Environment& environment) {
  std::vector<Discovered> found;
  for (const char* name : {"npm_config_registry", "NPM_CONFIG_REGISTRY"}) {
    if (const auto url = environment(name)) found.push_back({*url, name});
  }
  std::string path;
  for (const char* name : {"npm_config_userconfig", "NPM_CONFIG_USERCONFIG"}) {
    if (path.empty()) path = environment(name).value_or("");
  }
  if (path.empty()) path = environment("HOME").value_or("") + "/.npmrc";
  if (const auto text = file_text(path)) {
    if (const auto url = registry_of_npmrc(*text, environment)) found.push_back({*url, path});
  }
  return found;
}

}  // namespace

std::optional<std::string> registry_of_npmrc(std::string_view text,
                                             const Environment& environment) {
  std::optional<std::string> found;
  std::istringstream lines{std::string(text)};
  for (std::string raw; std::getline(lines, raw);) {
    if (raw.ends_with('\r')) raw.pop_back();
    const std::string_view line = trim(raw);
    if (line.starts_with('[')) break;  // keys of a section are not top-level ones
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || trim(line.substr(0, equals)) != "registry") continue;
    std::string_view value = trim(line.substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
        value.back() == value.front()) {
      value = value.substr(1, value.size() - 2);
    }
    Expanded expanded = expand(value, environment);
    found.reset();  // the last one counts
    if (expanded.unset.empty() && !expanded.open) found = std::move(expanded.text);
  }
  return found;
}

std::vector<std::string> ask_npm() {
  ChildCommand command{{"npm", "config", "get", "registry"}, {}};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    command.environment.emplace_back(*variable);
  }
  std::vector<std::string> answers;
  for (const bool with_settings : {true, false}) {
    if (!with_settings) {
      std::erase_if(command.environment, of_npm_settings);
      command.words.emplace_back("--userconfig=/dev/null");
    }
    const auto text = child_output(command, kNpmTime);
    if (!text) break;
    answers.emplace_back(trim(text->substr(0, text->find_first_of("\r\n"))));
  }
  return answers;
}

std::optional<Discovered> discover_npm(const Config& config, const Environment& environment,
                                       const AskNpm& ask) {
  const OwnAddresses own = own_addresses(config);
  const std::string& data_dir = config.data_dir;
  const auto usable = [&](const std::string& text) {
    const Read<Url> url = read_url(text);
    return url.value && own.key_of(*url.value).empty();
  };
  const auto take = [&](Discovered found) {
    keep(data_dir, found.url);
    return found;
  };
  for (const Discovered& found : settings(environment)) {
    if (usable(found.url)) return take(found);
  }
  // What was kept is older than the settings, yet it is the user's own; npm's answer without them
  // is only its default. So that one comes last.
  const std::vector<std::string> answers = ask();
  if (!answers.empty() && usable(answers.front())) {
    return take({answers.front(), "npm config get registry"});
  }
  if (const auto url = kept(data_dir); url && usable(*url)) {
    return Discovered{*url, kept_path(data_dir)};
  }
  if (answers.size() > 1 && usable(answers.back())) {
    return take({answers.back(), "npm config get registry, without the user's settings"});
  }
  return std::nullopt;
}

}  // namespace tanggul::app
