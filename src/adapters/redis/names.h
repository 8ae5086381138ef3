#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "async/task.h"
#include "async/waiter.h"

namespace tanggul::redis {

// The addresses of a host. What the system does to find them can be neither bounded nor broken off,
// so it runs on a thread of its own that nobody waits for longer than they like; what comes too
// late is there for who asks next. At most one such thread a host. One thread's, and one at a time.
class Names {
 public:
  explicit Names(async::Executor executor) : waiter_(async::Waiter::make(executor)) {}
  ~Names() { close(); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  struct Found {
    std::vector<boost::asio::ip::tcp::endpoint> endpoints;
    std::string why;  // there are none
  };
  Task<Found> find(std::string host, std::string port, MonoTime deadline);
  void close();  // who waits is told at once

 private:
  struct Search;
  std::shared_ptr<Search> begin(const std::string& host, const std::string& port);

  const async::WaiterPtr waiter_;
  std::map<std::string, std::shared_ptr<Search>> searches_;  // by host and port
};

}  // namespace tanggul::redis
