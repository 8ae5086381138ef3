#include "support/redis_server.h"

#include <signal.h>

#include <stdexcept>
#include <thread>

#include "support/raw_exchange.h"

namespace tanggul::test {
namespace {

constexpr Duration kStart = std::chrono::seconds(20);

// Both are asked until they answer at all; redis-server is up when it is no longer loading.
bool answers(Process& process, std::uint16_t port) {
  return process.poll_until(kStart, [&] {
    try {
      const RedisReply r = redis_command(port, {"PING"}, {}, std::chrono::seconds(2));
      return !r.error() || r.text.starts_with("NOAUTH");
    } catch (const std::runtime_error&) {
      return false;
    }
  });
}

}  // namespace

bool redis_is_here() {
  return run_command({.args = {"sh", "-c", "command -v redis-server"}}).status == 0;
}

RedisServer::RedisServer(RedisOptions options)
    : options_(std::move(options)), port_(options_.port) {
  // Between free_port() and the bind somebody else may take it.
  for (int tries = options_.port ? 1 : 5; tries > 0; --tries) {
    if (!options_.port) port_ = free_port();
    if (try_start()) return;
  }
  throw std::runtime_error("redis-server does not start:\n" + log());
}

std::vector<std::string> RedisServer::arguments() const {
  std::vector<std::string> a{"redis-server",
                             "--port",
                             std::to_string(port_),
                             "--bind",
                             "127.0.0.1",
                             "--dir",
                             dir_.path(),
                             "--save",
                             "",
                             "--appendonly",
                             "no",
                             "--daemonize",
                             "no",
                             "--enable-debug-command",
                             "yes",
                             "--repl-diskless-sync-delay",
                             "0",
                             "--loglevel",
                             "notice"};
  const auto add = [&](std::initializer_list<std::string> more) {
    a.insert(a.end(), more.begin(), more.end());
  };
  if (!options_.user.empty()) {
    add({"--user", options_.user, "on", ">" + options_.password, "~*", "&*", "+@all"});
    add({"--user", "default", "off"});
  } else if (!options_.password.empty()) {
    add({"--requirepass", options_.password});
  }
  if (options_.cluster) add({"--cluster-enabled", "yes"});
  if (options_.replica_of) add({"--replicaof", "127.0.0.1 " + std::to_string(options_.replica_of)});
  if (!options_.max_memory.empty())
    add({"--maxmemory", options_.max_memory, "--maxmemory-policy", "noeviction"});
  if (!options_.also_at.empty())
    add({"--bind", "127.0.0.1", options_.also_at, "--protected-mode", "no"});
  a.insert(a.end(), options_.more.begin(), options_.more.end());
  return a;
}

bool RedisServer::try_start() {
  process_ = std::make_unique<Process>(ProcessSpec{.args = arguments()});
  if (!answers(*process_, port_)) return false;
  if (options_.cluster) assign_slots();
  return true;
}

void RedisServer::assign_slots() const {
  command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  const auto up = [&] {
    return command({"CLUSTER", "INFO"}).text.find("cluster_state:ok") != std::string::npos;
  };
  if (!process_->poll_until(kStart, up)) throw std::runtime_error("the cluster does not come up");
}

void RedisServer::start() {
  if (!try_start()) throw std::runtime_error("redis-server does not start again:\n" + log());
}

void RedisServer::stop() {
  process_->signal(SIGCONT);
  process_->signal(SIGTERM);
  process_->wait(std::chrono::seconds(20));
  process_.reset();
}

void RedisServer::kill() {
  process_->signal(SIGKILL);
  process_->wait(std::chrono::seconds(20));
  process_.reset();
}

void RedisServer::freeze() { process_->signal(SIGSTOP); }
void RedisServer::thaw() { process_->signal(SIGCONT); }

std::string RedisServer::url() const {
  std::string user;
  if (!options_.password.empty()) user = options_.user + ":" + options_.password + "@";
  return "redis://" + user + host();
}

RedisReply RedisServer::command(const std::vector<std::string>& args) const {
  std::vector<std::string> auth;
  if (!options_.user.empty()) auth.push_back(options_.user);
  if (!options_.password.empty()) auth.push_back(options_.password);
  return redis_command(port_, args, auth);
}

std::string RedisServer::info(const std::string& field) const {
  const std::string all = "\n" + command({"INFO", "everything"}).text;
  const std::size_t at = all.find("\n" + field + ":");
  if (at == std::string::npos) return {};
  const std::size_t from = at + field.size() + 2;
  return all.substr(from, all.find('\r', from) - from);
}

RedisSentinel::RedisSentinel(const std::string& master, std::uint16_t master_port)
    : master_(master), port_(free_port()) {
  const std::string config = dir_.write(
      "sentinel.conf", "port " + std::to_string(port_) + "\nbind 127.0.0.1\ndir " + dir_.path() +
                           "\nsentinel monitor " + master + " 127.0.0.1 " +
                           std::to_string(master_port) + " 1\nsentinel down-after-milliseconds " +
                           master + " 500\nsentinel failover-timeout " + master + " 3000\n");
  process_ = std::make_unique<Process>(ProcessSpec{.args = {"redis-server", config, "--sentinel"}});
  if (!answers(*process_, port_))
    throw std::runtime_error("redis-sentinel does not start:\n" + process_->out());
}

std::uint16_t RedisSentinel::master_port() const {
  const RedisReply r = command({"SENTINEL", "get-master-addr-by-name", master_});
  return r.items.size() == 2 ? static_cast<std::uint16_t>(std::stoi(r.items[1].text)) : 0;
}

}  // namespace tanggul::test
