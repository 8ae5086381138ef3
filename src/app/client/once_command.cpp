#include "app/client/once_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace tanggul::app {
namespace {

constexpr const char* kOutput = "TANGGUL_ONCE_OUTPUT=";

std::vector<std::string> environment(const std::string& output) {
  std::vector<std::string> out;
  for (char** e = environ; *e != nullptr; ++e)
    if (std::strncmp(*e, kOutput, std::strlen(kOutput)) != 0) out.emplace_back(*e);
  out.push_back(kOutput + output);
  return out;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

bool has_terminal() { return ::isatty(0) == 1 && ::tcgetpgrp(0) == ::getpgrp(); }

// From a background group this would stop us otherwise.
void give_terminal_to(pid_t group) {
  const auto before = ::signal(SIGTTOU, SIG_IGN);
  ::tcsetpgrp(0, group);
  ::signal(SIGTTOU, before);
}

// Between fork and exec: only what is safe in a signal handler.
[[noreturn]] void become(char** args, char** env, pid_t parent, bool terminal) {
  ::setpgid(0, 0);
  if (terminal) give_terminal_to(::getpid());
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(143);  // died in between
  ::execvpe(args[0], args, env);
  const bool missing = errno == ENOENT;
  const char* const why = ::strerrordesc_np(errno);
  for (const char* text : {"error: ", static_cast<const char*>(args[0]), ": ", why, "\n"})
    if (text != nullptr && ::write(2, text, std::strlen(text)) < 0) break;
  ::_exit(missing ? 127 : 126);
}

}  // namespace

bool OnceCommand::start(const std::vector<std::string>& args, const std::string& output) {
  const std::vector<std::string> env = environment(output);
  const std::vector<char*> args_p = pointers(args), env_p = pointers(env);
  const pid_t parent = ::getpid();
  gave_terminal_ = has_terminal();
  status_.reset();
  pid_ = ::fork();
  if (pid_ == 0)
    become(const_cast<char**>(args_p.data()), const_cast<char**>(env_p.data()), parent,
           gave_terminal_);
  if (pid_ < 0) return false;
  ::setpgid(pid_, pid_);  // whichever of the two comes first
  if (gave_terminal_) give_terminal_to(pid_);
  return true;
}

std::optional<int> OnceCommand::status() {
  int raw = 0;
  if (!alive() || ::waitpid(pid_, &raw, WNOHANG | WUNTRACED) != pid_) return status_;
  if (WIFSTOPPED(raw)) {  // others wait for it
    ::kill(-pid_, SIGCONT);
    return status_;
  }
  status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  take_terminal_back();
  return status_;
}

void OnceCommand::signal(int number) const {
  if (alive()) ::kill(-pid_, number);
}

void OnceCommand::take_terminal_back() {
  if (gave_terminal_) give_terminal_to(::getpgrp());
  gave_terminal_ = false;
}

}  // namespace tanggul::app
