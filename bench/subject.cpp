#include "subject.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "cpu.h"
#include "support/raw_exchange.h"

namespace tanggul::bench {
namespace {

std::string yaml_for(const test::ScriptedOrigin& origin, std::string_view keys,
                     std::string_view top, int threads) {
  return std::string(top) + "threads: " + std::to_string(threads) +
         "\naccess_log: off\norigins:\n  o:\n    kind: generic\n" +
         "    mount: /o/\n    upstream: " + origin.url() + "\n" + std::string(keys);
}

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

std::string Subject::at(std::string_view path) const { return "/o" + std::string(path); }
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

Tanggul::Tanggul(const test::ScriptedOrigin& origin, std::string_view keys, std::string_view top,
                 int threads, Placed placed) {
  std::optional<OnServerCpu> here;  // else where its starter may run
  if (placed == Placed::on_server_cpu) here.emplace();
  process_ = std::make_unique<test::TanggulProcess>(yaml_for(origin, keys, top, threads));
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
