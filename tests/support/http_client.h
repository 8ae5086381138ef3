#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tanggul/base/clock.h"
#include "tanggul/http/message.h"

namespace tanggul::test {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

struct RequestSpec {
  std::string method = "GET";
  std::string target = "/";
  std::uint16_t port = 0;  // of 127.0.0.1; 0: that of the burst
  HeaderList headers;  // Host is added where it is missing, Content-Length where a body is given
  std::string body;
  std::optional<Duration> leave_after;      // the socket is closed this long after sending
  std::uint64_t read_bytes_per_second = 0;  // a slow reader; 0: as fast as it comes
  bool keep_body = true;                    // false: only its size and SHA-256
  Duration deadline = std::chrono::seconds(60);
};

struct ClientResult {
  int status = 0;  // 0: no head came
  http::Headers headers;
  std::string body;
  std::uint64_t body_size = 0;
  std::string body_sha256;      // hex
  bool complete = false;        // whole by its Content-Length, chunks, or closed in good order
  bool connection_cut = false;  // ended by the peer before that
  bool left = false;            // by leave_after
  MonoTime sent{};
  Duration first_byte{};  // from sending to the head
  Duration total{};
  std::string error;  // empty when complete
};

// Opens n connections to 127.0.0.1, and when all are open sends all n requests at once; comes back
// when each has its answer, has left, or its deadline is over. `each` gives the i-th request.
std::vector<ClientResult> burst(std::uint16_t port, std::size_t n, const RequestSpec& spec);
std::vector<ClientResult> burst(std::uint16_t port, std::size_t n,
                                const std::function<RequestSpec(std::size_t)>& each);

ClientResult send_request(std::uint16_t port, const RequestSpec& spec);
ClientResult get(std::uint16_t port, std::string target, HeaderList headers = {});

// How many of them fulfil something; for one-line assertions over a herd.
std::size_t count_if(const std::vector<ClientResult>& results,
                     const std::function<bool(const ClientResult&)>& what);

}  // namespace tanggul::test
