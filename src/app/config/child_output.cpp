#include "app/config/child_output.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/bytes.h"

namespace tanggul::app {
namespace {

constexpr std::size_t kMost = 64_KiB;

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// In a process group of its own, so that its children can be ended with it. -1: it cannot start.
pid_t start(const ChildCommand& command, int out) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // Away from the working directory, whose own settings are not this machine's.
  posix_spawn_file_actions_addchdir_np(&files, "/");
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  auto words = pointers(command.words);
  auto environment = pointers(command.environment);
  const int failed =
      posix_spawnp(&pid, words[0], &files, &attributes, words.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed == 0 ? pid : -1;
}

// True: it came to its end in time.
bool read_all(int from, std::string& text, MonoTime until) {
  std::array<char, 4096> buffer;
  while (text.size() <= kMost) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - MonoClock::now());
    if (left.count() <= 0) return false;
    pollfd readable{from, POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n == 0) return true;
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) return false;
  }
  return false;
}

}  // namespace

std::optional<std::string> child_output(const ChildCommand& command, Duration limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const pid_t pid = start(command, ends[1]);
  ::close(ends[1]);
  std::string text;
  const bool whole = pid > 0 && read_all(ends[0], text, MonoClock::now() + limit);
  ::close(ends[0]);
  if (pid <= 0) return std::nullopt;
  if (!whole) ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

}  // namespace tanggul::app
