#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "support/http_client.h"
#include "support/network.h"
#include "support/process.h"
#include "support/temp_dir.h"

namespace tanggul::test {

// The whole program, `tanggul serve`, on two free ports of 127.0.0.1 and a data directory of its
// own. The configuration is the caller's text without listen, admin and data_dir, which are given
// on the command line. A start that does not become ready throws with what the program said.
class TanggulProcess {
 public:
  // `launcher`: what starts it, as a command before its own; told the data directory.
  using Launcher = std::function<std::vector<std::string>(const std::string& data)>;
  // Where it serves; its admin port is on 127.0.0.1 always. `network`: as one of its hosts, where
  // everything that is asked of it here is asked from.
  struct Place {
    std::string address = "127.0.0.1";  // or all of them, 0.0.0.0
    std::uint16_t port = 0;             // 0: a free one
    const Network* network = nullptr;
    std::size_t host = 0;
  };
  explicit TanggulProcess(std::string_view yaml, ProcessSpec more = {}, Launcher launcher = {});
  TanggulProcess(std::string_view yaml, ProcessSpec more, Launcher launcher, Place place);

  void start();  // again, after stop() or kill9(): same ports, same data
  std::optional<int> stop(Duration at_most = std::chrono::seconds(40));  // SIGTERM
  void kill9();

  std::uint16_t port() const { return port_; }
  std::uint16_t admin_port() const { return admin_port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string admin_url() const { return "http://127.0.0.1:" + std::to_string(admin_port_); }
  const TempDir& dir() const { return dir_; }
  std::string data_dir() const { return dir_.file("data"); }
  Process& process() { return *process_; }
  std::uint64_t rss() const { return process_->rss(); }

  // `name` or `name{label="value",…}`: the sum over every series with these labels, whatever
  // others it has; NaN, which equals nothing, when there is none.
  double metric(std::string_view series) const;
  std::string metrics() const;

  // The calling thread is on its host, where ports of 127.0.0.1 are this one's.
  Network::Visit visit() const;

  ClientResult get(std::string target, HeaderList headers = {}) const {
    const Network::Visit there = visit();
    return test::get(port_, std::move(target), std::move(headers));
  }

 private:
  TempDir dir_;
  ProcessSpec more_;
  const Launcher launcher_;
  const Place place_;
  std::uint16_t port_, admin_port_;
  std::unique_ptr<Process> process_;
};

// TANGGUL_BINARY from the environment, else where this build puts it.
std::string tanggul_binary();

double sum_of_series(std::string_view exposition, std::string_view series);

}  // namespace tanggul::test
