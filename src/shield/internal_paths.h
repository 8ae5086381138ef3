#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ports/handler.h"
#include "shield/shield.h"

namespace tanggul::shield {

// What lies below /.tanggul/, to each its own handler, by the beginning of the path. Anything else
// is told what any path is told where nothing is mounted. One object a thread; the handlers outlive
// it.
class InternalPaths final : public ports::Handler {
 public:
  struct Path {
    std::string beginning;  // "/.tanggul/gate/"
    ports::Handler* handler;
    // Whom it is for; for everybody else it does not exist. Empty: for all.
    std::function<bool(const ports::Call&)> admits{};
  };
  using Handlers = std::vector<Path>;

  InternalPaths(Shield& shield, Handlers handlers)
      : shield_(shield), handlers_(std::move(handlers)) {}

  bool answer_now(ports::Call& call, ports::Reply& reply) override;
  Task<void> answer(ports::Call& call, ports::Reply& reply) override;
  void finished(const ports::Call& call, const ports::Reply& reply, ByteCount bytes,
                ports::Sent end) override;

 private:
  ports::Handler* handler_of(const ports::Call& call) const;

  Shield& shield_;
  const Handlers handlers_;
};

}  // namespace tanggul::shield
