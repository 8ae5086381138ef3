// What a client that keeps its connection and asks nothing costs.
#include <sys/socket.h>

#include <stdexcept>
#include <thread>

#include "base/bytes.h"
#include "compare.h"
#include "measurements.h"
#include "scripts.h"
#include "sockets.h"
#include "support/http_client.h"

namespace tanggul::bench {
namespace {

constexpr std::size_t kConnections = 10'000;
constexpr double kMostEach = 12;  // KiB

// Each connection has been served once, as a client's that comes back later.
void serve_each(Sockets& clients, const std::string& request) {
  for (std::size_t i = 0; i < clients.size(); ++i) {
    ::send(clients[i], request.data(), request.size(), MSG_NOSIGNAL);
    char answer[16 * 1024];
    const MonoTime start = MonoClock::now();
    ssize_t n;
    while ((n = ::recv(clients[i], answer, sizeof answer, MSG_DONTWAIT)) < 0) {
      if (errno != EAGAIN || MonoClock::now() - start > 10s)
        throw std::runtime_error("connection " + std::to_string(i) + " was not served");
    }
    if (!std::string_view(answer, static_cast<std::size_t>(n)).starts_with("HTTP/1.1 200"))
      throw std::runtime_error("connection " + std::to_string(i) + " was refused");
  }
}

Figures idle(Subject& subject, test::ScriptedOrigin& origin) {
  origin.set_default(dated(body_of(1_KiB)));
  for (int i = 0; i < 1000; ++i) test::get(subject.port(), subject.at("/k"));
  const auto before = static_cast<double>(subject.rss());
  Sockets clients(subject.port(), kConnections);
  serve_each(clients, get_request(subject.port(), subject.at("/k")));
  std::this_thread::sleep_for(1s);
  const auto with = static_cast<double>(subject.rss());
  return {{"each", (with - before) / 1024 / kConnections}, {"all", with}};
}

std::string cell(const Side& side) {
  return printed("%.1f KiB", side.median("each")) + " (" + mib(side.median("all")) + ")";
}

}  // namespace

void measure_idle_memory(const Options&, Table& musts) {
  const Compared c = compare({1, 1, 1}, tanggul_with(), idle);
  add(musts, {.what = "10,000 idle keep-alive connections, each served once: resident memory of "
                      "each (of the process)",
              .must = "≤ 12 KiB",
              .ours = cell(c.ours),
              .peers = c.cells(cell),
              .met = c.ours.median("each") <= kMostEach});
}

}  // namespace tanggul::bench
