#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "async/task.h"
#include "tanggul/base/clock.h"
#include "tanggul/http/message.h"

namespace tanggul::test {

namespace asio = boost::asio;
using boost::system::error_code;
using Socket = asio::basic_stream_socket<asio::ip::tcp, async::Executor>;
using Bytes = std::function<void(std::string_view)>;

// One HTTP/1.1 connection read and written by hand, from either end, lenient on purpose: what it
// reads is judged by the test and not here. Belongs to one coroutine at a time.
class Wire {
 public:
  explicit Wire(Socket s) : socket(std::move(s)) {}

  // Start line and header lines with the blank line; an error when the peer leaves before.
  Task<error_code> read_head(std::string& head);
  Task<error_code> read_exactly(std::uint64_t size, const Bytes& to);
  Task<error_code> read_chunked(const Bytes& to);
  Task<error_code> read_to_end(const Bytes& to);
  Task<error_code> write(std::string_view bytes);
  // Waits, and comes back early with an error when the peer leaves.
  Task<error_code> pause(Duration d);

  void close();  // FIN
  void reset();  // RST, by SO_LINGER 0

  Socket socket;
  std::uint64_t read_rate = 0;  // bytes a second; 0: as fast as they come

 private:
  Task<error_code> fill();
  Task<error_code> read_line(std::string& line);

  std::string in_;  // read, not yet consumed
};

struct ParsedHead {
  std::string first, second, third;  // of the start line
  http::Headers headers;
};
ParsedHead parse_head(std::string_view head);

// The soft limit of open files becomes the hard one: a herd needs thousands.
void raise_file_limit();

}  // namespace tanggul::test
