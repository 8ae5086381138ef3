#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tanggul::test {

// A network namespace without a name: it ends with the last socket and process in it, however the
// test ends.
class NetworkNamespace {
 public:
  NetworkNamespace();
  ~NetworkNamespace();
  NetworkNamespace(const NetworkNamespace&) = delete;
  NetworkNamespace& operator=(const NetworkNamespace&) = delete;

  int fd() const { return fd_; }
  std::string path() const;  // as `ip … netns` takes it

 private:
  int fd_;
};

// Some hosts and a hub, each a namespace, with a cable from each host to each of some switches. The
// hub is on every switch. A cable that is cut loses what is sent and tells neither end. Used by one
// thread, but for visits.
class Network {
 public:
  // Why none can be made here; empty: one can.
  static std::string why_not();

  // Throws where it cannot be made.
  Network(std::size_t hosts, std::size_t switches);
  ~Network();

  static std::string address(std::size_t at_switch, std::size_t host);
  static std::string hub_address(std::size_t at_switch);

  // As long as it lives the calling thread is somewhere else: the sockets that it opens, and the
  // threads and processes that it starts, are there. To be ended by that thread, the last first.
  class [[nodiscard]] Visit {
   public:
    Visit() = default;  // stays where it is
    explicit Visit(const NetworkNamespace& where);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    int back_ = -1;
  };
  Visit at(std::size_t host) const { return Visit(*hosts_[host]); }
  Visit at_hub() const { return Visit(hub_); }

  void cut(std::size_t host, std::size_t at_switch);
  void heal(std::size_t host, std::size_t at_switch);

 private:
  NetworkNamespace hub_;
  std::vector<std::unique_ptr<NetworkNamespace>> hosts_;
};

}  // namespace tanggul::test
