#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "subject.h"

namespace tanggul::bench {

// A file below bench/peers with the words between its at signs filled in.
std::string filled(const std::string& file, const std::map<std::string, std::string>& words);

// Another vendor's server in a directory of its own, on a port of its own, with bench/peers' text
// as its configuration. Construct, write what it reads, then start(). A server that refuses root is
// told a user by its own configuration; give_to() hands that user the directory. Ends, and waits
// until it has ended, with this object.
class PeerProcess : public Subject {
 public:
  explicit PeerProcess(const test::ScriptedOrigin& origin);
  ~PeerProcess() override;

  void define(const std::string& word, const std::string& text) { words_[word] = text; }
  // `from` below bench/peers, `to` below the directory; its path.
  std::string place(const std::string& from, const std::string& to);
  void make_directory(const std::string& name);
  void give_to(const char* user);
  std::string file(const std::string& name) const { return dir_.file(name); }

  // The whole command has to run to its end (a store that is made first).
  void prepare(std::vector<std::string> args);
  // Until the port answers; throws with what the program said if it does not.
  void start(std::vector<std::string> args, std::map<std::string, std::string> env = {});

  // Until a file of its says so, for those that listen before they serve.
  void wait_for_line(const std::string& name, std::string_view text) const;

  std::string at(std::string_view path) const override { return prefix_ + std::string(path); }
  void serve_at(std::string prefix) { prefix_ = std::move(prefix); }
  std::uint16_t port() const override { return port_; }
  std::vector<pid_t> pids() const override;

 private:
  test::TempDir dir_;
  std::uint16_t port_;
  std::string prefix_ = "/o";
  std::map<std::string, std::string> words_;
  std::unique_ptr<test::Process> process_;
};

bool is_root();

}  // namespace tanggul::bench
