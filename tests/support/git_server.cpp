#include "support/git_server.h"

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/git_environment.h"

namespace tanggul::test {
namespace {

namespace fs = std::filesystem;

std::string run_git(const std::string& folder, std::vector<std::string> args) {
  args.insert(args.begin(), {"git", "-c", "safe.directory=*", "-C", folder});
  const CommandResult done = run_command({.args = std::move(args), .env = git_environment()});
  if (done.status != 0) throw std::runtime_error("git: " + done.err);
  return done.out.substr(0, done.out.find_last_not_of('\n') + 1);
}

void write_file(const fs::path& path, const std::string& contents) {
  fs::create_directories(path.parent_path());
  constexpr std::string_view kLink = "-> ";
  if (contents.starts_with(kLink)) return fs::create_symlink(contents.substr(kLink.size()), path);
  std::ofstream(path, std::ios::binary) << contents;
}

}  // namespace

GitServer::GitServer() { start(); }

void GitServer::start() {
  process_ =
      std::make_unique<Process>(ProcessSpec{.args = {"python3", GIT_SERVER_SCRIPT, root_.path()}});
  const bool up =
      process_->poll_until(std::chrono::seconds(20), [this] { return !process_->out().empty(); });
  if (!up) throw std::runtime_error("the git server does not start: " + process_->err());
  port_ = static_cast<std::uint16_t>(std::stoi(process_->out()));
}

void GitServer::freeze() { process_->freeze(); }
void GitServer::thaw() { process_->signal(SIGCONT); }
void GitServer::stop() { process_.reset(); }

std::string GitServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

void GitServer::make(const std::string& name, const CommitFiles& files) const {
  const std::string bare = root_.file(name);
  fs::create_directories(bare);
  run_git(bare, {"init", "-q", "--bare", "-b", "main"});
  for (const char* const setting : {"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"})
    run_git(bare, {"config", setting, "true"});
  if (!files.empty()) commit(name, files);
}

std::string GitServer::commit(const std::string& name, const CommitFiles& files) const {
  const TempDir work;
  for (const auto& [path, contents] : files) write_file(fs::path(work.path()) / path, contents);
  const std::string bare = root_.file(name);
  const auto git = [&](std::vector<std::string> args) {
    args.insert(args.begin(), {"--git-dir=" + bare, "--work-tree=" + work.path()});
    return run_git(work.path(), std::move(args));
  };
  git({"add", "-A", "-f"});
  git({"commit", "-q", "--allow-empty", "-m", "x"});
  return head(name);
}

std::string GitServer::head(const std::string& name) const {
  return run_git(root_.file(name), {"rev-parse", "HEAD"});
}

std::string GitServer::git(const std::string& name, std::vector<std::string> args) const {
  return run_git(root_.file(name), std::move(args));
}

void GitServer::rename(const std::string& from, const std::string& to) const {
  fs::create_directories(fs::path(root_.file(to)).parent_path());
  fs::rename(root_.file(from), root_.file(to));
}

void GitServer::remove(const std::string& name) const { fs::remove_all(root_.file(name)); }

void GitServer::set_faults(const std::vector<Fault>& faults) const {
  std::string text;
  for (const Fault& fault : faults)
    text += fault.prefix + " " + std::to_string(fault.status) +
            (fault.header.empty() ? "" : " " + fault.header) + "\n";
  // Moved there, so that it is read whole or not at all.
  fs::rename(root_.write("fault.new", text), root_.file("fault"));
}

std::vector<std::string> GitServer::requests() const {
  std::istringstream in(read_file(root_.file("requests")));
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

void GitServer::forget_requests() const { fs::remove(root_.file("requests")); }

}  // namespace tanggul::test
