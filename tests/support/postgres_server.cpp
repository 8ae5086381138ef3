#include "support/postgres_server.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/raw_exchange.h"

namespace tanggul::test {
namespace {

constexpr Duration kStart = std::chrono::seconds(30);

// Where Debian has the server's programs: not in PATH.
std::string program(const std::string& name) {
  std::string newest;
  std::error_code ignored;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    const std::string path = version.path().string() + "/bin/" + name;
    if (std::filesystem::exists(path) && path > newest) newest = path;
  }
  return newest;
}

// Programs that refuse root are run as the package's user.
std::vector<std::string> as_servers_user(std::vector<std::string> args) {
  if (::geteuid() != 0) return args;
  std::vector<std::string> all{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
                               "--pdeathsig=KILL"};
  all.insert(all.end(), args.begin(), args.end());
  return all;
}

void must(std::vector<std::string> args) {
  const CommandResult r = run_command({.args = std::move(args), .cwd = "/"});
  if (r.status != 0) throw std::runtime_error("postgres: " + r.out + r.err);
}

// A cluster that was made once, beside the build, is copied by each server: initdb takes seconds.
std::string made_cluster() {
  const std::string home = POSTGRES_CLUSTER_PATH;
  const std::string done = home + ".made";
  const std::string lock = home + ".lock";
  const int fd = ::open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (fd < 0 || ::flock(fd, LOCK_EX) != 0)
    throw std::runtime_error("postgres: cannot lock " + lock);
  if (!std::filesystem::exists(done)) {
    const TempDir work;
    must({"chmod", "0755", work.path()});
    const std::string data = work.file("data");
    std::filesystem::create_directory(data);
    if (::geteuid() == 0) must({"chown", "postgres:postgres", data});
    must(as_servers_user({program("initdb"), "--pgdata=" + data, "--username=postgres",
                          "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync",
                          "--no-instructions"}));
    std::filesystem::remove_all(home);
    must({"cp", "-a", data, home});
    std::ofstream(done) << "made\n";
  }
  ::close(fd);
  return home;
}

}  // namespace

bool postgres_is_here() { return !program("postgres").empty(); }

PostgresServer::PostgresServer(std::string settings) {
  must({"chmod", "0755", dir_.path()});
  must({"cp", "-a", made_cluster(), dir_.file("data")});
  for (int tries = 5; tries > 0; --tries) {
    port_ = free_port();
    std::ofstream conf(dir_.file("data") + "/postgresql.auto.conf");
    conf << "listen_addresses = '127.0.0.1'\nport = " << port_
         << "\nunix_socket_directories = ''\nfsync = off\n"
            "shared_buffers = 16MB\nmax_connections = 60\n"
         << settings << "\n";
    conf.close();
    if (try_start()) return;
  }
  throw std::runtime_error("PostgreSQL does not start:\n" + process_->err());
}

PostgresServer::~PostgresServer() {
  if (!process_) return;
  signal_all(SIGCONT);
  process_->signal(SIGQUIT);
  process_->wait(std::chrono::seconds(20));
}

std::string PostgresServer::url() const {
  return "postgres://postgres@127.0.0.1:" + std::to_string(port_) + "/postgres";
}

bool PostgresServer::try_start() {
  process_ = std::make_unique<Process>(ProcessSpec{
      .args = as_servers_user({program("postgres"), "-D", dir_.file("data")}), .cwd = "/"});
  return process_->poll_until(kStart, [&] {
    return run_command({.args = {"psql", "-XAtqc", "SELECT 1", url()}}).status == 0;
  });
}

void PostgresServer::start() {
  if (!try_start())
    throw std::runtime_error("PostgreSQL does not start again:\n" + process_->err());
}

void PostgresServer::stop() {
  process_->signal(SIGINT);
  process_->wait(std::chrono::seconds(20));
  process_.reset();
}

std::vector<int> PostgresServer::children() const {
  std::vector<int> out;
  const std::string pid = std::to_string(process_->pid());
  std::istringstream in(read_file("/proc/" + pid + "/task/" + pid + "/children"));
  for (int child = 0; in >> child;) out.push_back(child);
  return out;
}

void PostgresServer::signal_all(int number) {
  // The parent first, so that it starts none meanwhile.
  process_->signal(number);
  for (const int child : children()) ::kill(child, number);
}

void PostgresServer::kill() {
  const std::vector<int> own = children();
  process_->signal(SIGSTOP);
  for (const int child : own) ::kill(child, SIGKILL);
  process_->signal(SIGKILL);
  process_->wait(std::chrono::seconds(20));
  process_.reset();
}

void PostgresServer::freeze() { signal_all(SIGSTOP); }
void PostgresServer::thaw() { signal_all(SIGCONT); }

std::string PostgresServer::log() const { return process_ ? process_->err() : std::string(); }

std::string PostgresServer::sql(const std::string& statement) const {
  const CommandResult r =
      run_command({.args = {"psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement, url()}});
  if (r.status != 0) throw std::runtime_error("psql: " + r.err);
  std::string out = r.out;
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace tanggul::test
