#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/script.h"

namespace tanggul::test {

// An HTTP/1.1 origin on 127.0.0.1 (or another loopback address), on a thread of its own, that does
// to each request what its script says, for thousands of connections at once. Every function may be
// called from any thread, at any time. What counts is counted when the request's head is in. Ends
// with its connections.
class ScriptedOrigin {
 public:
  explicit ScriptedOrigin(Script by_default = {}, std::string address = "127.0.0.1");
  ~ScriptedOrigin();
  ScriptedOrigin(const ScriptedOrigin&) = delete;
  ScriptedOrigin& operator=(const ScriptedOrigin&) = delete;

  std::uint16_t port() const noexcept;
  std::string url() const;  // http://ADDRESS:PORT

  // The most exact one wins: whole target, path without query, longest prefix, default.
  void set(std::string path, Script script);
  void set_prefix(std::string prefix, Script script);
  void set_default(Script script);

  std::uint64_t requests() const;
  std::uint64_t requests(std::string_view path) const;  // the path without its query
  std::uint64_t connections() const;                    // accepted in all
  std::uint64_t open_connections() const;
  std::uint64_t in_progress() const;      // requests being answered now
  std::uint64_t max_concurrent() const;   // the most that ever were
  std::vector<SeenRequest> seen() const;  // the first 10,000, recorded when wholly read
  void reset_counts();

  void stop_listening();    // new connections are refused
  void listen_again();      // on the same port
  void drop_connections();  // RST to every open one

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace tanggul::test
