#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "adapters/beast/access_log.h"
#include "adapters/beast/request_reader.h"
#include "adapters/beast/tls_context.h"
#include "adapters/beast/trusted_proxies.h"
#include "async/task.h"
#include "ports/handler.h"
#include "tanggul/base/clock.h"

namespace tanggul::beast {

struct ServerConfig {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  RequestLimits limits;
  Duration header = 10s;             // from a request's first byte to the end of its head
  Duration idle = 60s;               // between two requests
  Duration stall = 60s;              // without a byte moving while a body is sent or read
  std::size_t connections = 20'000;  // of this server object
  bool share_port = true;            // with other servers that do, of any process (SO_REUSEPORT)
  bool serve_half_closed = false;    // a client that has sent its EOF still waits for the answer
  TrustedProxies trusted;
};

// Accepts on one thread and serves each connection there; several threads listen on the same port
// (SO_REUSEPORT). Everything but port() belongs to the executor's thread.
class Server {
 public:
  // `log` may be null. All of them outlive the server.
  Server(async::Executor executor, ServerConfig config, ports::Handler& handler, AccessLog* log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Other limits and trusted proxies for new connections; address and port stay.
  void configure(ServerConfig config);
  // New connections speak TLS with it, or none where it is null; those that are there go on as they
  // are.
  void set_tls(std::shared_ptr<TlsContext> tls);

  // Errc::io with the system's words in `error` when the address cannot be had.
  Result<void> listen(std::string& error);
  std::uint16_t port() const noexcept;

  // Takes no new connections, closes the idle ones, lets the others finish their request.
  void drain();
  void close_all();
  std::size_t connections() const noexcept;

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace tanggul::beast
