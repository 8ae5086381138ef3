#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/git_server.h"
#include "support/http_client.h"
#include "support/process.h"
#include "support/tanggul_process.h"
#include "support/temp_dir.h"

namespace tanggul::test {

// A README with a paper of its own and a table of results.
std::string readme_of(int number);

// Workers, a queue and a catalog in files, and a server of real repositories.
class Fleet : public testing::Test {
 protected:
  // `sync`: further lines of that section.
  void configure(const std::string& sync = "", const std::string& top = "");

  CommandResult run(std::vector<std::string> args) const;  // tanggul …, with the configuration
  void enqueue(const std::vector<std::string>& names);     // repositories of the server
  std::unique_ptr<Process> start_worker(std::vector<std::string> args = {},
                                        std::map<std::string, std::string> env = {}) const;
  // Until nothing is due; what the worker has logged.
  std::string work_once(std::vector<std::string> args = {},
                        std::map<std::string, std::string> env = {}) const;
  // Of a worker that was started; what it told of its port.
  static std::uint16_t port_of(Process& worker);
  static double metric(std::uint16_t port, const std::string& series);

  // Rows of the catalog, '|' between columns, by SQLite's own shell.
  std::string sql(const std::string& query) const;
  std::string queue_sql(const std::string& query) const;
  // Everything in it that is true, but for times and numbers of rows.
  std::string contents() const;

  std::string data() const { return dir_.file("data"); }

  const TempDir dir_;
  GitServer git_;
};

}  // namespace tanggul::test
