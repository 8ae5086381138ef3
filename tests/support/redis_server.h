#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/process.h"
#include "support/redis_client.h"
#include "support/temp_dir.h"

namespace tanggul::test {

struct RedisOptions {
  std::uint16_t port = 0;         // 0: a free one, kept for each further start()
  std::string password;           // of the default user, or of `user`
  std::string user;               // an ACL user; the default one is then switched off
  bool cluster = false;           // one node that holds all slots
  std::uint16_t replica_of = 0;   // a port; read-only, as replicas are
  std::string max_memory;         // with noeviction: "2mb"
  std::string also_at;            // a further address, for everybody
  std::vector<std::string> more;  // further arguments
};

bool redis_is_here();

// A real redis-server on 127.0.0.1 with its files in a temporary directory, without persistence:
// a restart is empty. Started by the constructor, which throws when it does not come to it. Used by
// one thread, which must outlive it.
class RedisServer {
 public:
  explicit RedisServer(RedisOptions options = {});

  std::uint16_t port() const { return port_; }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const;  // with the user and the password

  void start();   // again, on the same port
  void stop();    // SIGTERM, and waits
  void kill();    // kill -9, and waits
  void freeze();  // SIGSTOP: it accepts and reads nothing more, and keeps its connections
  void thaw();    // SIGCONT

  RedisReply command(const std::vector<std::string>& args) const;
  std::string info(const std::string& field) const;  // of INFO; empty: there is none
  std::string log() const { return process_ ? process_->out() : std::string(); }

 private:
  std::vector<std::string> arguments() const;
  bool try_start();
  void assign_slots() const;

  RedisOptions options_;
  TempDir dir_;
  std::uint16_t port_;
  std::unique_ptr<Process> process_;
};

// A real redis-sentinel that watches one master, quorum 1, quick to call it down.
class RedisSentinel {
 public:
  RedisSentinel(const std::string& master, std::uint16_t master_port);

  std::uint16_t port() const { return port_; }
  std::uint16_t master_port() const;  // as it says now
  RedisReply command(const std::vector<std::string>& args) const {
    return redis_command(port_, args);
  }

 private:
  std::string master_;
  TempDir dir_;
  std::uint16_t port_;
  std::unique_ptr<Process> process_;
};

}  // namespace tanggul::test
