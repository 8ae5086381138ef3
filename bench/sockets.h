#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tanggul::bench {

// A client's connections to 127.0.0.1, non-blocking once open. Closed with this object.
class Sockets {
 public:
  // `slow` of them, the first ones, get a small receive buffer: else the kernel reads ahead on
  // behalf of a slow reader.
  Sockets(std::uint16_t port, std::size_t n, std::size_t slow = 0);
  ~Sockets() { close_all(); }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  std::size_t size() const { return fds_.size(); }
  int operator[](std::size_t i) const { return fds_[i]; }
  void close(std::size_t i);
  void close_all();

 private:
  std::vector<int> fds_;  // -1: closed
};

// As a client of that port writes it: caches keep answers apart by Host.
std::string get_request(std::uint16_t port, const std::string& target);

}  // namespace tanggul::bench
