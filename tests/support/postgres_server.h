#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "support/process.h"
#include "support/temp_dir.h"

namespace tanggul::test {

bool postgres_is_here();

// A real PostgreSQL on 127.0.0.1 with its files in a temporary directory, database and user
// "postgres", no password; run as the package's user where this process is root, which the server
// refuses to be. Started by the constructor, which throws when it does not come to it. Used by one
// thread, which must outlive it.
class PostgresServer {
 public:
  // `settings`: further lines of postgresql.conf.
  explicit PostgresServer(std::string settings = {});
  ~PostgresServer();

  std::uint16_t port() const { return port_; }
  std::string url() const;

  void start();   // again, on the same port with the same data
  void stop();    // as an administrator does, ending its sessions
  void kill();    // kill -9 of the server and its sessions' processes
  void freeze();  // SIGSTOP of all of them
  void thaw();

  std::string log() const;  // since the last start

  // What `statement` gives, unaligned, one line a row; throws with the server's words on an error.
  std::string sql(const std::string& statement) const;

 private:
  bool try_start();
  std::vector<int> children() const;
  void signal_all(int number);

  TempDir dir_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace tanggul::test
