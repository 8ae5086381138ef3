#include "clients/npm_client.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/bytes.h"

extern char** environ;

namespace tanggul::test {
namespace {

// What would bring this machine's settings into a test.
std::vector<std::string> settings_of_this_machine() {
  std::vector<std::string> out = {
      "NODE_OPTIONS", "NODE_AUTH_TOKEN", "NPM_TOKEN", "ALL_PROXY", "all_proxy", "CI", "PREFIX"};
  for (char** e = environ; *e; ++e) {
    const std::string_view line = *e;
    const std::string_view name = line.substr(0, line.find('='));
    if (iequals(name.substr(0, 11), "npm_config_")) out.emplace_back(name);
  }
  return out;
}

}  // namespace

NpmClient::NpmClient(const TanggulProcess& shield) : registry_(shield.url() + "/npm/") {
  std::filesystem::create_directory(dir_.file("project"));
  std::filesystem::create_directory(dir_.file("home"));
  dir_.write("globalconfig", "");
  dir_.write("userconfig", "");
  need({});
}

NpmClient::~NpmClient() {
  EXPECT_EQ(elsewhere_.requests(), 0U) << "npm went to another host than the shield";
}

void NpmClient::need(const Dependencies& dependencies) {
  std::string list;
  for (const auto& [name, range] : dependencies)
    list.append(list.empty() ? "" : ",").append("\"" + name + "\":\"" + range + "\"");
  write_project_file("package.json",
                     R"({"name":"project","version":"1.0.0","dependencies":{)" + list + "}}");
}

void NpmClient::log_in(std::string_view token) {
  dir_.write("userconfig",
             registry_.substr(registry_.find("//")) + ":_authToken=" + std::string(token) + "\n");
}

ProcessSpec NpmClient::spec(std::vector<std::string> args) const {
  ProcessSpec spec;
  spec.args = {"npm"};
  spec.args.insert(spec.args.end(), args.begin(), args.end());
  spec.args.insert(spec.args.end(),
                   {"--registry=" + registry_, "--userconfig=" + dir_.file("userconfig"),
                    "--globalconfig=" + dir_.file("globalconfig"), "--cache=" + dir_.file("cache"),
                    "--update-notifier=false", "--fund=false", "--fetch-retries=0"});
  spec.unset = settings_of_this_machine();
  spec.env["HOME"] = dir_.file("home");
  for (const char* name : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"})
    spec.env[name] = elsewhere_.url();
  for (const char* name : {"no_proxy", "NO_PROXY"}) spec.env[name] = "127.0.0.1,localhost";
  spec.cwd = dir_.file("project");
  return spec;
}

CommandResult NpmClient::run(std::vector<std::string> args) const {
  return run_command(spec(std::move(args)));
}

bool have_npm() {
  static const bool have = run_command({{"npm", "--version"}, {}, {}, "/"}).status == 0;
  return have;
}

std::string npm_yaml(const RegistryForTest& registry, std::string_view keys, std::string_view top) {
  std::string yaml(top);
  yaml += "access_log: text\norigins:\n  npm:\n    kind: npm\n    mount: /npm/\n    upstream: ";
  return yaml.append(registry.url()).append("\n").append(keys);
}

}  // namespace tanggul::test
