#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/process.h"
#include "support/temp_dir.h"

namespace tanggul::test {

// Files of a commit: path to contents. A content that begins with "-> " is a symbolic link.
using CommitFiles = std::map<std::string, std::string>;

// Real bare repositories on 127.0.0.1, served over HTTP by git's own http-backend. The constructor
// throws when the server does not come up. Used by one thread, which must outlive it.
class GitServer {
 public:
  GitServer();

  std::string url() const;  // http://127.0.0.1:PORT
  std::string url(const std::string& name) const { return url() + "/" + name; }

  // A new repository with one commit of these files, or without a commit where there are none.
  void make(const std::string& name, const CommitFiles& files) const;
  // One more commit, of these files alone; gives its id.
  std::string commit(const std::string& name, const CommitFiles& files) const;
  std::string head(const std::string& name) const;
  void rename(const std::string& from, const std::string& to) const;
  void remove(const std::string& name) const;
  // What git says to it there, run in the bare repository.
  std::string git(const std::string& name, std::vector<std::string> args) const;

  // Requests whose path begins so are answered with that status and header, until another call.
  struct Fault {
    std::string prefix;
    int status = 500;
    std::string header = {};  // "Retry-After: 7"
  };
  void set_faults(const std::vector<Fault>& faults) const;
  // "GET /a/info/refs?service=git-upload-pack", in order.
  std::vector<std::string> requests() const;
  void forget_requests() const;

  void freeze();  // SIGSTOP: connections are taken, and nothing is answered
  void thaw();
  void stop();
  void start();  // again, on another port

 private:
  TempDir root_;
  std::unique_ptr<Process> process_;
  std::uint16_t port_ = 0;
};

}  // namespace tanggul::test
