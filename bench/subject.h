#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/process.h"
#include "support/scripted_origin.h"
#include "support/tanggul_process.h"

namespace tanggul::bench {

// What stands before the origin in a measurement: ourselves, or a peer. It runs on the server's
// CPU, with one thread, and ends with this object.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::uint16_t port() const = 0;
  virtual std::string at(std::string_view path) const;  // the target that is the origin's `path`
  virtual std::vector<pid_t> pids() const = 0;

  std::uint64_t rss() const;       // of the largest of its processes
  std::uint64_t peak_rss() const;  // the same
  std::size_t open_files() const;  // of all
};
using SubjectPtr = std::unique_ptr<Subject>;

class Tanggul : public Subject {
 public:
  enum class Placed { on_server_cpu, anywhere };
  // `keys` are further lines of the origin, indented by four spaces, `top` lines of the whole.
  explicit Tanggul(const test::ScriptedOrigin& origin, std::string_view keys = "",
                   std::string_view top = "", int threads = 1,
                   Placed placed = Placed::on_server_cpu);
  std::uint16_t port() const override { return process_->port(); }
  std::vector<pid_t> pids() const override { return {process_->process().pid()}; }
  double metric(std::string_view series) const { return process_->metric(series); }
  void kill9() { process_->kill9(); }

 private:
  std::unique_ptr<test::TanggulProcess> process_;
};

// The lower limit: bench/epoll_loop.cpp, which answers whatever the path.
SubjectPtr start_epoll_loop(std::size_t body_size);

// How either side of a comparison is started.
using StartSubject = std::function<SubjectPtr(const test::ScriptedOrigin&)>;
StartSubject tanggul_with(std::string keys = "", std::string top = "");

}  // namespace tanggul::bench
