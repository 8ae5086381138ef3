#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clients/registry_for_test.h"
#include "support/process.h"
#include "support/tanggul_process.h"

namespace tanggul::test {

// One machine's npm: a home, a cache, a project and a configuration of its own, and nothing from
// this machine's. Whatever it would send elsewhere than to loopback lands in a proxy that only
// counts.
class NpmClient {
 public:
  explicit NpmClient(const TanggulProcess& shield);
  ~NpmClient();  // fails the test if anything did
  NpmClient(const NpmClient&) = delete;
  NpmClient& operator=(const NpmClient&) = delete;

  void need(const Dependencies& dependencies);  // writes package.json
  void log_in(std::string_view token);
  ProcessSpec spec(std::vector<std::string> args) const;
  CommandResult run(std::vector<std::string> args) const;

  std::string project_file(const std::string& name) const {
    return read_file(dir_.file("project/" + name));
  }
  void write_project_file(const std::string& name, std::string_view text) const {
    dir_.write("project/" + name, text);
  }

 private:
  TempDir dir_;
  std::string registry_;
  ScriptedOrigin elsewhere_;
};

// Whether there is an npm to test with.
bool have_npm();

// A shield with the registry at /npm/. `keys`: further lines of the origin, indented by four.
std::string npm_yaml(const RegistryForTest& registry, std::string_view keys = "",
                     std::string_view top = "");

// Each test of a real client begins with this.
#define NEEDS_NPM() \
  if (!have_npm()) GTEST_SKIP() << "there is no npm program on the PATH"

}  // namespace tanggul::test
