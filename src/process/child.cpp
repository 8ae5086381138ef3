#include "process/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/utf8.h"
#include "process/orphans.h"

namespace tanggul::process {
namespace {

constexpr std::size_t kSaid = 4_KiB;
// Of what it says, before its output and its limits are looked at again.
constexpr int kReadsAtOnce = 16;

struct Ends {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};

  // A socket, since send() can be told not to raise SIGPIPE.
  bool open() noexcept {
    return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0 &&
           ::pipe2(out, O_CLOEXEC) == 0 && ::pipe2(err, O_CLOEXEC) == 0;
  }
  ~Ends() {
    for (const int* pair : {in, out, err}) {
      for (const int end : {pair[0], pair[1]}) {
        if (end >= 0) ::close(end);
      }
    }
  }
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const std::string& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

void bound(int resource, rlim_t at_most) noexcept {
  const rlimit limit{at_most, at_most};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

// Between fork and exec: only what is safe in a signal handler.
[[noreturn]] void become(char** args, char** env, const Ends& ends, const ChildLimits& limits,
                         pid_t parent) noexcept {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);       // it may hang, and nobody would wait for it any more
  if (::getppid() != parent) ::_exit(126);  // who has died before that
  // Ignored signals would stay so: a program that ignores SIGPIPE outlives its reader.
  for (int number = 1; number < SIGRTMIN; ++number) ::signal(number, SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);  // a file over the limit is an error that it can speak of
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!limits.join.empty()) {
    const int group = ::open(limits.join.c_str(), O_WRONLY);
    if (group < 0 || ::write(group, "0", 1) != 1) ::_exit(126);
  }
  bound(RLIMIT_DATA, limits.memory);
  bound(RLIMIT_FSIZE, limits.file_size);
  bound(RLIMIT_CORE, 0);
  ::dup2(ends.in[1], 0);
  ::dup2(ends.out[1], 1);
  ::dup2(ends.err[1], 2);
  ::close_range(3, ~0U, 0);
  if (::chdir("/") == 0) ::execvpe(args[0], args, env);
  constexpr std::string_view kWhy = "fatal: cannot be started: is it installed, and in PATH?\n";
  (void)!::write(2, kWhy.data(), kWhy.size());
  ::_exit(127);
}

Failure cannot_start(const std::string& program, int error) {
  return {Errc::io, program + " cannot be started: " + ::strerror(error)};
}

// "git" of "/usr/bin/git": what people call it.
std::string called(const Command& command) {
  const std::string& path = command.args.front();
  return path.substr(path.find_last_of('/') + 1);
}

std::string in_words(Duration span) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

int as_status(int raw) noexcept { return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw); }

// In whole milliseconds, upwards: poll() that came back too early would be asked again and again.
int milliseconds_until(MonoTime end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - MonoClock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

}  // namespace

Expected<std::unique_ptr<Child>> Child::start(const Command& command, ChildLimits limits) {
  const std::string name = called(command);
  Ends ends;
  if (!ends.open()) return cannot_start(name, errno);
  const std::vector<char*> args = pointers(command.args), env = pointers(command.env);
  std::unique_ptr<Child> child(new Child);
  child->name_ = name;
  child->limits_ = limits;
  const pid_t parent = ::getpid();
  child->pid_ = fork_child();
  if (child->pid_ == 0) {
    become(const_cast<char**>(args.data()), const_cast<char**>(env.data()), ends, limits, parent);
  }
  if (child->pid_ < 0) return cannot_start(name, errno);
  ::setpgid(child->pid_, child->pid_);  // whoever of the two is first
  child->in_ = std::exchange(ends.in[0], -1);
  child->out_ = std::exchange(ends.out[0], -1);
  child->err_ = std::exchange(ends.err[0], -1);
  for (const int end : {child->out_, child->err_}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  child->life_ = static_cast<int>(::syscall(SYS_pidfd_open, child->pid_, 0));
  if (child->life_ < 0) return cannot_start(name, errno);
  return child;
}

Child::~Child() {
  end();
  for (const int descriptor : {in_, out_, err_, life_}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

bool Child::write(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = ::send(in_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void Child::ask_to_end() noexcept {
  if (pid_ > 0) ::kill(pid_, SIGTERM);
}

void Child::end_input() noexcept { ::shutdown(in_, SHUT_WR); }

Expected<std::string_view> Child::read() {
  buffer_.resize(64_KiB);
  for (;;) {
    const ssize_t n = ::read(out_, buffer_.data(), buffer_.size());
    if (n >= 0) return std::string_view(buffer_).substr(0, static_cast<std::size_t>(n));
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Failure{Errc::io, "the output of " + name_ + " cannot be read"};
    if (auto error = wait_for(out_)) return *error;
  }
}

Expected<int> Child::wait() {
  if (auto error = wait_for(life_)) return *error;
  listen();
  return end();
}

std::optional<Failure> Child::wait_for(int descriptor) {
  const MonoTime end = std::min(MonoClock::now() + limits_.silence, limits_.until);
  for (;;) {
    std::array<pollfd, 2> both{{{descriptor, POLLIN, 0}, {err_, POLLIN, 0}}};
    const int ready = ::poll(both.data(), both.size(), milliseconds_until(end));
    if (ready < 0 && errno != EINTR) return cannot_start(name_, errno);
    if (ready > 0 && both[1].revents != 0) listen();
    if (ready > 0 && both[0].revents != 0) return std::nullopt;
    if (MonoClock::now() < end) continue;
    return Failure{Errc::stalled, name_ + " gave no answer within " + in_words(limits_.silence)};
  }
}

// Keeps the beginning and drops the rest, so that it never waits for a reader.
void Child::listen() {
  std::array<char, 4096> some;
  for (int reads = 0; err_ >= 0 && reads < kReadsAtOnce; ++reads) {
    const ssize_t n = ::read(err_, some.data(), some.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    if (n == 0) {  // poll() would report its end without end
      ::close(std::exchange(err_, -1));
      return;
    }
    const std::size_t room = kSaid - said_.size();
    said_.append(some.data(), std::min(room, static_cast<std::size_t>(n)));
  }
}

std::string Child::complaint() const {
  std::string_view all = said_, chosen;
  while (!all.empty()) {
    const std::size_t size = std::min(all.find('\n'), all.size());
    const std::string_view line = all.substr(0, size);
    all.remove_prefix(std::min(size + 1, all.size()));
    const bool fatal = line.starts_with("fatal: ");
    if (chosen.empty() || fatal) chosen = line;
    if (fatal) break;
  }
  for (const std::string_view word : {"fatal: ", "error: ", "warning: "}) {
    if (chosen.starts_with(word)) chosen.remove_prefix(word.size());
  }
  if (chosen.empty()) return "it ended without a word";
  return to_utf8(printable(chosen.substr(0, 400)));
}

// What of the group is left goes first: once its leader is reaped, the number may be another's.
int Child::end() noexcept {
  if (pid_ < 0) return 0;
  ::kill(-pid_, SIGKILL);
  int raw = 0;
  while (::waitpid(pid_, &raw, 0) < 0 && errno == EINTR) {
  }
  forget_child(std::exchange(pid_, -1));  // not before: it would be an orphan's, and reaped as one
  return as_status(raw);
}

}  // namespace tanggul::process
