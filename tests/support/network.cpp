#include "support/network.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "support/process.h"

namespace tanggul::test {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

int here() {
  const int fd = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("cannot tell the network namespace");
  return fd;
}

void go_to(int fd) {
  if (::setns(fd, CLONE_NEWNET) != 0) fail("cannot enter a network namespace");
}

// Where the calling thread is.
void run_ip(const std::string& lines) {
  const TempDir dir;
  const CommandResult done = run_command({.args = {"ip", "-batch", dir.write("commands", lines)}});
  if (done.status == 127) throw std::runtime_error("there is no `ip` (Debian: iproute2)");
  if (done.status != 0) throw std::runtime_error("ip: " + done.err);
}

std::string switch_name(std::size_t at_switch) { return "switch" + std::to_string(at_switch); }
std::string plug_name(std::size_t host, std::size_t at_switch) {
  return "h" + std::to_string(host) + "s" + std::to_string(at_switch);
}

}  // namespace

NetworkNamespace::NetworkNamespace() : fd_(-1) {
  const int before = here();
  if (::unshare(CLONE_NEWNET) != 0) {
    ::close(before);
    fail("cannot make a network namespace");
  }
  fd_ = here();
  go_to(before);
  ::close(before);
}

NetworkNamespace::~NetworkNamespace() { ::close(fd_); }

std::string NetworkNamespace::path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_);
}

Network::Visit::Visit(const NetworkNamespace& where) : back_(here()) { go_to(where.fd()); }

Network::Visit::~Visit() {
  if (back_ < 0) return;
  go_to(back_);
  ::close(back_);
}

std::string Network::why_not() {
  try {
    const Network trial(1, 1);
    return {};
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

Network::Network(std::size_t hosts, std::size_t switches) {
  std::string wiring = "link set lo up\n";
  for (std::size_t s = 0; s < switches; ++s) {
    const std::string name = switch_name(s);
    wiring += "link add " + name + " type bridge\n";
    wiring += "address add " + hub_address(s) + "/24 dev " + name + "\n";
    wiring += "link set " + name + " up\n";
  }
  for (std::size_t h = 0; h < hosts; ++h) {
    const auto& host = *hosts_.emplace_back(std::make_unique<NetworkNamespace>());
    for (std::size_t s = 0; s < switches; ++s) {
      const std::string plug = plug_name(h, s);
      wiring += "link add " + plug + " type veth peer name eth" + std::to_string(s) + " netns " +
                host.path() + "\n";
      wiring += "link set " + plug + " master " + switch_name(s) + " up\n";
    }
  }
  const Visit hub(hub_);
  run_ip(wiring);
  for (std::size_t h = 0; h < hosts; ++h) {
    std::string own = "link set lo up\n";
    for (std::size_t s = 0; s < switches; ++s) {
      const std::string name = "eth" + std::to_string(s);
      own += "address add " + address(s, h) + "/24 dev " + name + "\n";
      own += "link set " + name + " up\n";
    }
    const Visit there(*hosts_[h]);
    run_ip(own);
  }
}

Network::~Network() = default;

std::string Network::address(std::size_t at_switch, std::size_t host) {
  return "10.77." + std::to_string(at_switch) + "." + std::to_string(host + 1);
}
std::string Network::hub_address(std::size_t at_switch) {
  return "10.77." + std::to_string(at_switch) + ".254";
}

// Out of the switch, with the carrier on: what arrives there goes nowhere.
void Network::cut(std::size_t host, std::size_t at_switch) {
  const Visit hub(hub_);
  run_ip("link set " + plug_name(host, at_switch) + " nomaster\n");
}

void Network::heal(std::size_t host, std::size_t at_switch) {
  const Visit hub(hub_);
  run_ip("link set " + plug_name(host, at_switch) + " master " + switch_name(at_switch) + "\n");
}

}  // namespace tanggul::test
