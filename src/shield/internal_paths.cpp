#include "shield/internal_paths.h"

#include "shield/deliver.h"

namespace tanggul::shield {

ports::Handler* InternalPaths::handler_of(const ports::Call& call) const {
  for (const Path& path : handlers_)
    if (call.head.target.starts_with(path.beginning) && (!path.admits || path.admits(call)))
      return path.handler;
  return nullptr;
}

bool InternalPaths::answer_now(ports::Call& call, ports::Reply& reply) {
  if (ports::Handler* const handler = handler_of(call)) return handler->answer_now(call, reply);
  std::string mounts = "mounts:";
  for (const auto& u : shield_.routes()->upstreams)
    mounts.append(" ").append(u->config().written_mount());
  Provenance how;
  how.outcome = Outcome::error;
  deliver_problem(reply, 404, "unknown-mount", "Nothing is mounted here", mounts, "",
                  Duration::zero(), how);
  return true;
}

Task<void> InternalPaths::answer(ports::Call& call, ports::Reply& reply) {
  ports::Handler* const handler = handler_of(call);
  if (handler != nullptr) {
    co_await handler->answer(call, reply);
  } else {
    answer_now(call, reply);
  }
}

void InternalPaths::finished(const ports::Call& call, const ports::Reply& reply, ByteCount bytes,
                             ports::Sent end) {
  if (ports::Handler* const handler = handler_of(call)) handler->finished(call, reply, bytes, end);
}

}  // namespace tanggul::shield
