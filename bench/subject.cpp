#include "subject.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "cpu.h"
#include "support/raw_exchange.h"

namespace tanggul::bench {
namespace {

std::string yaml_for(const test::ScriptedOrigin& origin, std::string_view keys,
                     std::string_view top) {
  return std::string(top) + "threads: 1\naccess_log: off\norigins:\n  o:\n    kind: generic\n" +
         "    mount: /o/\n    upstream: " + origin.url() + "\n" + std::string(keys);
}

std::string replaced(std::string text, std::string_view word, const std::string& by) {
  for (std::size_t at; (at = text.find(word)) != text.npos;) text.replace(at, word.size(), by);
  return text;
}

class Nginx : public Subject {
 public:
  explicit Nginx(std::uint16_t origin_port) : port_(test::free_port()) {
    std::string text = test::read_file(TANGGUL_BENCH_SOURCE "/nginx.conf.in");
    // Its words in the opening comment are no place-holders of ours.
    text = replaced(std::move(text), "@WORDS@", "Words between at signs");
    text = replaced(std::move(text), "@USER@", ::geteuid() == 0 ? "user root;" : "");
    text = replaced(std::move(text), "@DIR@", dir_.path());
    text = replaced(std::move(text), "@PORT@", std::to_string(port_));
    text = replaced(std::move(text), "@ORIGIN_PORT@", std::to_string(origin_port));
    const std::string file = dir_.write("nginx.conf", text);
    const OnServerCpu here;
    process_ = std::make_unique<test::Process>(test::ProcessSpec{
        .args = {"nginx", "-p", dir_.path(), "-c", file, "-e", dir_.file("error.log")}});
    if (!process_->wait_for_port(port_, 10s)) {
      throw std::runtime_error("nginx did not start: " + process_->err());
    }
  }
  ~Nginx() override {  // the master ends its worker; killed, it would leave it behind
    process_->signal(SIGTERM);
    process_->wait(10s);
  }
  std::uint16_t port() const override { return port_; }
  std::vector<pid_t> pids() const override { return with_children(process_->pid()); }

 private:
  test::TempDir dir_;
  std::uint16_t port_;
  std::unique_ptr<test::Process> process_;
};

class EpollLoop : public Subject {
 public:
  explicit EpollLoop(std::size_t body_size) : port_(test::free_port()) {
    const OnServerCpu here;
    process_ = std::make_unique<test::Process>(test::ProcessSpec{
        .args = {TANGGUL_EPOLL_LOOP, std::to_string(port_), std::to_string(body_size)}});
    if (!process_->wait_for_port(port_, 10s)) throw std::runtime_error("epoll_loop did not start");
  }
  std::uint16_t port() const override { return port_; }
  std::vector<pid_t> pids() const override { return {process_->pid()}; }

 private:
  std::uint16_t port_;
  std::unique_ptr<test::Process> process_;
};

std::uint64_t most(const std::vector<pid_t>& pids, std::string_view field) {
  std::uint64_t value = 0;
  for (const pid_t pid : pids) value = std::max(value, test::status_bytes(pid, field));
  return value;
}

}  // namespace

std::uint64_t Subject::rss() const { return most(pids(), "VmRSS:"); }
std::uint64_t Subject::peak_rss() const { return most(pids(), "VmHWM:"); }

std::size_t Subject::open_files() const {
  std::size_t n = 0;
  for (const pid_t pid : pids()) {
    std::error_code ec;
    const std::filesystem::directory_iterator files("/proc/" + std::to_string(pid) + "/fd", ec);
    if (!ec) n += static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }
  return n;
}

Tanggul::Tanggul(const test::ScriptedOrigin& origin, std::string_view keys, std::string_view top) {
  const OnServerCpu here;
  process_ = std::make_unique<test::TanggulProcess>(yaml_for(origin, keys, top));
}

SubjectPtr start_nginx(const test::ScriptedOrigin& origin) {
  return std::make_unique<Nginx>(origin.port());
}

SubjectPtr start_epoll_loop(std::size_t body_size) {
  return std::make_unique<EpollLoop>(body_size);
}

StartSubject tanggul_with(std::string keys, std::string top) {
  return [keys = std::move(keys), top = std::move(top)](const test::ScriptedOrigin& origin) {
    return std::make_unique<Tanggul>(origin, keys, top);
  };
}

}  // namespace tanggul::bench
