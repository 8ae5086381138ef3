#include "support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/bytes.h"
#include "support/raw_exchange.h"

extern char** environ;

namespace tanggul::test {
namespace {

std::vector<std::string> environment(const ProcessSpec& spec) {
  std::map<std::string, std::string> all;
  for (char** e = environ; *e; ++e) {
    const std::string_view line = *e;
    const std::size_t eq = line.find('=');
    if (eq != line.npos) all.emplace(line.substr(0, eq), line.substr(eq + 1));
  }
  for (const std::string& name : spec.unset) all.erase(name);
  for (const auto& [name, value] : spec.env) all[name] = value;
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

// Between fork and exec: only what is safe in a signal handler.
[[noreturn]] void become(char** args, char** env, const char* cwd, int out, int err, int in) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  // Asio's sockets are inherited: a child that held the origin's would keep its port listening.
  ::close_range(3, ~0U, 0);
  if (*cwd && ::chdir(cwd) != 0) ::_exit(126);
  ::execvpe(args[0], args, env);
  ::_exit(127);
}

// The state stands behind the name, which may hold anything (proc(5)).
bool all_threads_stopped(pid_t pid) {
  std::error_code ec;
  const std::filesystem::directory_iterator threads("/proc/" + std::to_string(pid) + "/task", ec);
  return !ec && std::all_of(begin(threads), end(threads), [](const auto& thread) {
    const std::string stat = read_file(thread.path() / "stat");
    const std::size_t name_end = stat.rfind(')');
    return name_end != stat.npos && stat.compare(name_end, 3, ") T") == 0;
  });
}

}  // namespace

Process::Process(ProcessSpec spec) {
  std::vector<std::string> env = environment(spec);
  const std::vector<char*> args_p = pointers(spec.args), env_p = pointers(env);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const int out = ::open(dir_.file("stdout").c_str(), flags, 0600);
  const int err = ::open(dir_.file("stderr").c_str(), flags, 0600);
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  pid_ = ::fork();
  if (pid_ == 0) {
    become(const_cast<char**>(args_p.data()), const_cast<char**>(env_p.data()), spec.cwd.c_str(),
           out, err, in);
  }
  for (const int fd : {out, err, in}) ::close(fd);
  if (pid_ < 0) throw std::runtime_error("cannot fork");
}

Process::~Process() {
  if (!running()) return;
  signal(SIGKILL);
  wait(std::chrono::seconds(30));
}

void Process::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

bool Process::running() {
  if (status_) return false;
  int raw = 0;
  if (::waitpid(pid_, &raw, WNOHANG) != pid_) return true;
  status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return false;
}

bool Process::poll_until(Duration at_most, const std::function<bool()>& condition) {
  const MonoTime end = MonoClock::now() + at_most;
  for (;;) {
    const bool alive = running();  // asked first: its last words still count
    if (condition()) return true;
    if (!alive || MonoClock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

bool Process::freeze() {
  signal(SIGSTOP);
  return poll_until(std::chrono::seconds(10), [&] { return all_threads_stopped(pid_); });
}

std::optional<int> Process::wait(Duration at_most) {
  poll_until(at_most, [] { return false; });
  return status_;
}

bool Process::wait_for_output(std::string_view text, Duration at_most) {
  return poll_until(at_most, [&] {
    return out().find(text) != std::string::npos || err().find(text) != std::string::npos;
  });
}

bool Process::wait_for_port(std::uint16_t port, Duration at_most) {
  return poll_until(at_most, [&] { return connectable(port); });
}

std::uint64_t status_bytes(pid_t pid, std::string_view field) {
  std::istringstream lines(read_file("/proc/" + std::to_string(pid) + "/status"));
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with(field)) continue;
    std::istringstream number(line.substr(line.find(':') + 1));
    std::uint64_t kib = 0;
    number >> kib;
    return kib * 1024;
  }
  return 0;
}

std::uint64_t Process::rss() const { return status_bytes(pid_, "VmRSS:"); }
std::uint64_t Process::peak_rss() const { return status_bytes(pid_, "VmHWM:"); }

std::size_t Process::open_files() const {
  std::error_code ec;
  const std::filesystem::directory_iterator files("/proc/" + std::to_string(pid_) + "/fd", ec);
  return ec ? 0 : static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

CommandResult run_command(ProcessSpec spec, Duration at_most) {
  Process process(std::move(spec));
  const int status = process.wait(at_most).value_or(124);
  return {status, process.out(), process.err()};
}

}  // namespace tanggul::test
