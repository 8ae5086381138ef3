#include "adapters/redis/names.h"

#include <netdb.h>

#include <cstring>
#include <system_error>
#include <thread>

#include "base/mutex.h"

namespace tanggul::redis {
namespace {

using boost::asio::ip::tcp;

constexpr std::size_t kMostAddresses = 8;

Names::Found looked_up(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  Names::Found found;
  if (error != 0) {
    found.why = ::gai_strerror(error);
    return found;
  }
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    tcp::endpoint endpoint;
    if (one->ai_addrlen > endpoint.capacity() || found.endpoints.size() == kMostAddresses) continue;
    std::memcpy(endpoint.data(), one->ai_addr, one->ai_addrlen);
    endpoint.resize(one->ai_addrlen);
    found.endpoints.push_back(endpoint);
  }
  ::freeaddrinfo(list);
  if (found.endpoints.empty()) found.why = "it has no address";
  return found;
}

}  // namespace

// Held by the one who asks and by the thread.
struct Names::Search {
  Mutex mutex;
  async::WaiterPtr waiter GUARDED_BY(mutex);  // null: nobody's any more, and its loop may be gone
  bool done GUARDED_BY(mutex) = false;
  Found found GUARDED_BY(mutex);

  static void run(const std::shared_ptr<Search>& self, const std::string& host,
                  const std::string& port) {
    Found found = looked_up(host, port);
    const Lock lock(self->mutex);
    self->found = std::move(found);
    self->done = true;
    if (self->waiter) self->waiter->wake();
  }
};

std::shared_ptr<Names::Search> Names::begin(const std::string& host, const std::string& port) {
  auto search = std::make_shared<Search>();
  {
    const Lock lock(search->mutex);
    search->waiter = waiter_;
  }
  std::thread([search, host, port] { Search::run(search, host, port); }).detach();
  return search;
}

Task<Names::Found> Names::find(std::string host, std::string port, MonoTime deadline) {
  const std::string name = host + ' ' + port;
  if (!searches_.contains(name)) {
    try {
      searches_.emplace(name, begin(host, port));
    } catch (const std::system_error& error) {
      co_return Found{{}, error.what()};  // no thread can be had
    }
  }
  const auto search = searches_[name];
  while (!waiter_->closed() && MonoClock::now() < deadline) {
    {
      const Lock lock(search->mutex);
      if (search->done) {
        searches_.erase(name);
        co_return std::move(search->found);
      }
    }
    co_await waiter_->wait_until(deadline);
  }
  co_return Found{{}, "timed out"};
}

void Names::close() {
  waiter_->close();
  for (const auto& [name, search] : searches_) {
    const Lock lock(search->mutex);
    search->waiter = nullptr;
  }
}

}  // namespace tanggul::redis
