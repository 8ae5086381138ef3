#include "support/http_client.h"

#include <boost/asio/as_tuple.hpp>
#include <charconv>
#include <memory>

#include "async/spawn.h"
#include "async/timer.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "support/wire.h"

namespace tanggul::test {
namespace {

// Everybody waits here until the last one has connected (or failed to).
struct Barrier {
  Barrier(async::Executor executor, std::size_t n) : timer(executor, kForever), missing(n) {}
  void arrive() {
    if (--missing == 0) timer.cancel();
  }
  async::Timer timer;
  std::size_t missing;
};

struct Client {
  Client(async::Executor executor, RequestSpec s)
      : wire(Socket(executor)), timer(executor), spec(std::move(s)) {}
  Wire wire;
  async::Timer timer;  // leave_after or deadline, whichever is first
  RequestSpec spec;
  ClientResult result;
  bool done = false;
};
using ClientPtr = std::shared_ptr<Client>;

std::string request_bytes(const RequestSpec& spec, std::uint16_t port) {
  std::string out = spec.method + " " + spec.target + " HTTP/1.1\r\n";
  bool host = false, length = spec.body.empty();
  for (const auto& [name, value] : spec.headers) {
    out += name + ": " + value + "\r\n";
    host |= iequals(name, "host");
    length |= iequals(name, "content-length") || iequals(name, "transfer-encoding");
  }
  if (!host) out += "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
  if (!length) out += "Content-Length: " + std::to_string(spec.body.size()) + "\r\n";
  return out + "\r\n" + spec.body;
}

void arm(const ClientPtr& client) {
  const bool leaves = client->spec.leave_after && *client->spec.leave_after < client->spec.deadline;
  client->timer.expires_after(leaves ? *client->spec.leave_after : client->spec.deadline);
  client->timer.async_wait([client, leaves](error_code ec) {
    if (ec || client->done) return;
    client->result.left = leaves;
    client->result.error = leaves ? "left" : "deadline";
    error_code ignored;
    client->wire.socket.close(ignored);
  });
}

Task<error_code> read_body(Client& c) {
  ClientResult& r = c.result;
  Digest digest(DigestKind::sha256);
  const Bytes take = [&](std::string_view bytes) {
    r.body_size += bytes.size();
    digest.update(bytes);
    if (c.spec.keep_body) r.body += bytes;
  };
  c.wire.read_rate = c.spec.read_bytes_per_second;
  error_code ec;
  const auto length = r.headers.find("content-length");
  if (c.spec.method == "HEAD" || r.status == 204 || r.status == 304) {
  } else if (r.headers.has("transfer-encoding")) {
    ec = co_await c.wire.read_chunked(take);
  } else if (length) {
    ec = co_await c.wire.read_exactly(parse_decimal(*length).value_or(UINT64_MAX), take);
  } else {
    ec = co_await c.wire.read_to_end(take);
  }
  r.body_sha256 = to_hex(digest.finish());
  co_return ec;
}

Task<error_code> exchange(Client& c, std::uint16_t port) {
  // A server may answer, and close, before it has read a large body: the answer counts.
  const std::string bytes = request_bytes(c.spec, port);
  const error_code sending = co_await c.wire.write(bytes);
  ParsedHead parsed;
  do {
    std::string head;
    if (const error_code ec = co_await c.wire.read_head(head)) co_return sending ? sending : ec;
    parsed = parse_head(head);
    if (!parsed.first.starts_with("HTTP/1.")) co_return asio::error::invalid_argument;
    const std::string& status = parsed.second;
    std::from_chars(status.data(), status.data() + status.size(), c.result.status);
  } while (c.result.status >= 100 && c.result.status < 200 && c.result.status != 101);
  c.result.first_byte = MonoClock::now() - c.result.sent;
  c.result.headers = std::move(parsed.headers);
  co_return co_await read_body(c);
}

Task<void> run_client(ClientPtr c, std::uint16_t port, std::shared_ptr<Barrier> barrier) {
  const asio::ip::tcp::endpoint to(asio::ip::address_v4::loopback(), port);
  if (c->spec.read_bytes_per_second) {  // else the kernel reads ahead on the slow one's behalf
    error_code ignored;
    c->wire.socket.open(to.protocol(), ignored);
    c->wire.socket.set_option(asio::socket_base::receive_buffer_size(16 * 1024), ignored);
  }
  auto [ec] = co_await c->wire.socket.async_connect(to, asio::as_tuple(async::use_task));
  barrier->arrive();
  while (barrier->missing > 0) {
    co_await barrier->timer.async_wait(asio::as_tuple(async::use_task));
  }
  c->result.sent = MonoClock::now();
  arm(c);
  if (!ec) ec = co_await exchange(*c, port);
  ClientResult& r = c->result;
  r.total = MonoClock::now() - r.sent;
  r.complete = !ec && r.error.empty();
  r.connection_cut = ec && r.error.empty();
  if (r.error.empty() && ec) r.error = ec.message();
  c->done = true;
  c->timer.cancel();
  c->wire.close();
}

}  // namespace

std::vector<ClientResult> burst(std::uint16_t port, std::size_t n,
                                const std::function<RequestSpec(std::size_t)>& each) {
  raise_file_limit();
  asio::io_context io(1);
  const auto barrier = std::make_shared<Barrier>(io.get_executor(), n);
  std::vector<ClientPtr> clients;
  for (std::size_t i = 0; i < n; ++i) {
    clients.push_back(std::make_shared<Client>(io.get_executor(), each(i)));
    const std::uint16_t own = clients.back()->spec.port;
    async::spawn(io.get_executor(), "client",
                 run_client(clients.back(), own != 0 ? own : port, barrier));
  }
  io.run();
  std::vector<ClientResult> results;
  for (const ClientPtr& client : clients) results.push_back(std::move(client->result));
  return results;
}

std::vector<ClientResult> burst(std::uint16_t port, std::size_t n, const RequestSpec& spec) {
  return burst(port, n, [&](std::size_t) { return spec; });
}

ClientResult send_request(std::uint16_t port, const RequestSpec& spec) {
  return burst(port, 1, spec).front();
}

ClientResult get(std::uint16_t port, std::string target, HeaderList headers) {
  return send_request(port, {.target = std::move(target), .headers = std::move(headers)});
}

std::size_t count_if(const std::vector<ClientResult>& results,
                     const std::function<bool(const ClientResult&)>& what) {
  std::size_t n = 0;
  for (const ClientResult& r : results) n += what(r) ? 1 : 0;
  return n;
}

}  // namespace tanggul::test
