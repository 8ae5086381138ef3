#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tanggul/base/clock.h"
#include "tanggul/http/message.h"

namespace tanggul::test {

// A request as the origin saw it. `body` holds its first 64 KiB, `body_size` counts all of it.
struct SeenRequest {
  std::string method, target;
  http::Headers headers;
  std::string body;
  std::uint64_t body_size = 0;
  std::string body_sha256;       // hex; empty where there was no body
  bool body_complete = true;     // false: the framing broke or the peer left
  std::uint64_t connection = 0;  // which one it came on, counted from 1
};

enum class Framing { length, chunked, until_close, none };

enum class Fault {
  none,
  reset_before_head,      // RST as soon as the request's head is in, its body unread
  reset_after_request,    // RST once the whole request is in and delay_head is over
  never_answer,           // reads the request, then nothing
  cut_body_at,            // announces all, sends cut_at bytes, closes in good order
  reset_body_at,          // the same with a RST
  drip,                   // a byte of the body every drip_interval
  cut_head_at,            // closes in good order after cut_at bytes of the head
  garbage,                // bytes that are no HTTP
  endless_headers,        // header lines until the peer has had enough
  endless_body,           // a body without an end
  bad_chunk,              // cut_at bytes in good chunks, then a size that is no number
  close_idle_connection,  // answers as if to keep the connection, then closes it
};

// What the origin does with a request.
struct Script {
  Duration delay_head{};
  Duration delay_body{};
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::uint64_t generated_size = 0;  // instead of `body`: byte_at(0) … byte_at(size - 1)
  Framing framing = Framing::length;
  Fault fault = Fault::none;
  std::uint64_t cut_at = 0;
  Duration drip_interval = std::chrono::milliseconds(100);
  std::uint64_t bytes_per_second = 0;         // of the body; 0: unpaced
  std::uint64_t upload_bytes_per_second = 0;  // how fast a request's body is read
  std::string etag;                           // sent, and If-None-Match with it is answered 304
  std::string before_head;                    // raw bytes ahead of the head: interim responses
  bool early = false;        // answers without reading the request's body, then closes
  bool close_after = false;  // says Connection: close, and does
  // Where set, its answer stands for this script; called on the origin's thread.
  std::function<Script(const SeenRequest&)> dynamic;

  std::uint64_t size() const { return generated_size ? generated_size : body.size(); }
};

// The generated body, the same for every run.
char byte_at(std::uint64_t offset) noexcept;
std::string generated_bytes(std::uint64_t offset, std::size_t size);

// `size` bytes of the script's body from `offset`, fewer at its end.
std::string body_piece(const Script& script, std::uint64_t offset, std::size_t size);

// The response head as it goes out; `not_modified` makes it the 304.
std::string head_of(const Script& script, bool not_modified);

bool matches_etag(const Script& script, const http::Headers& request);

}  // namespace tanggul::test
