#include "peer_process.h"

#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <thread>

#include "cpu.h"
#include "support/raw_exchange.h"

namespace tanggul::bench {
namespace {

namespace fs = std::filesystem;
constexpr Duration kStart = 20s, kEnd = 10s;

std::string last_of(const std::string& text) {
  constexpr std::size_t kMost = 100;  // what a cell of the report has room for
  return text.size() <= kMost ? text : text.substr(text.size() - kMost);
}

}  // namespace

bool is_root() { return ::geteuid() == 0; }

std::string filled(const std::string& file, const std::map<std::string, std::string>& words) {
  std::string text = test::read_file(std::string(TANGGUL_BENCH_SOURCE "/peers/") + file);
  if (text.empty()) throw std::runtime_error("there is no bench/peers/" + file);
  for (const auto& [word, by] : words) {
    const std::string mark = "@" + word + "@";
    for (std::size_t at; (at = text.find(mark)) != text.npos;) text.replace(at, mark.size(), by);
  }
  return text;
}

PeerProcess::PeerProcess(const test::ScriptedOrigin& origin) : port_(test::free_port()) {
  ::chmod(dir_.path().c_str(), 0755);  // for those who give up root
  words_ = {{"DIR", dir_.path()},
            {"PORT", std::to_string(port_)},
            {"ORIGIN_PORT", std::to_string(origin.port())},
            {"USER", ""}};
}

// Told to end, a master ends its workers; killed, it would leave them behind.
PeerProcess::~PeerProcess() {
  if (!process_) return;
  const std::vector<pid_t> all = pids();
  process_->signal(SIGTERM);
  if (process_->wait(kEnd)) return;
  for (const pid_t pid : all) ::kill(pid, SIGKILL);
}

std::string PeerProcess::place(const std::string& from, const std::string& to) {
  fs::create_directories(fs::path(dir_.file(to)).parent_path());
  return dir_.write(to, filled(from, words_));
}

void PeerProcess::make_directory(const std::string& name) {
  fs::create_directories(dir_.file(name));
}

void PeerProcess::give_to(const char* user) {
  if (!is_root()) return;
  const passwd* who = ::getpwnam(user);
  if (who == nullptr) throw std::runtime_error(std::string("there is no user ") + user);
  const auto give = [&](const std::string& path) {
    if (::lchown(path.c_str(), who->pw_uid, who->pw_gid) != 0)
      throw std::runtime_error("cannot give away " + path);
  };
  give(dir_.path());
  for (const auto& entry : fs::recursive_directory_iterator(dir_.path())) give(entry.path());
}

void PeerProcess::prepare(std::vector<std::string> args) {
  const std::string name = args.front();
  const auto done = test::run_command({.args = std::move(args), .cwd = dir_.path()}, kStart);
  if (done.status != 0) throw std::runtime_error(name + ": " + last_of(done.out + done.err));
}

void PeerProcess::start(std::vector<std::string> args, std::map<std::string, std::string> env) {
  const std::string name = args.front();
  const OnServerCpu here;
  process_ = std::make_unique<test::Process>(
      test::ProcessSpec{.args = std::move(args), .env = std::move(env), .cwd = dir_.path()});
  if (!process_->wait_for_port(port_, kStart))
    throw std::runtime_error(name +
                             " did not start: " + last_of(process_->out() + process_->err()));
}

void PeerProcess::wait_for_line(const std::string& name, std::string_view text) const {
  const MonoTime began = MonoClock::now();
  while (test::read_file(dir_.file(name)).find(text) == std::string::npos) {
    if (MonoClock::now() - began > kStart)
      throw std::runtime_error("did not say that it is " + std::string(text));
    std::this_thread::sleep_for(1ms);
  }
}

std::vector<pid_t> PeerProcess::pids() const { return with_children(process_->pid()); }

}  // namespace tanggul::bench
