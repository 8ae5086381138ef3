#pragma once

#include <string>

#include "ports/handler.h"

namespace tanggul::shield {

// Who may build once: whoever knows the token, and without it a client on this machine that is
// neither a web page's browser nor a proxy that speaks for somebody else. Immutable.
class OnceAccess {
 public:
  explicit OnceAccess(std::string token) : token_(std::move(token)) {}  // empty: none

  bool admits(const ports::Call& call) const;
  bool has_token() const noexcept { return !token_.empty(); }

 private:
  const std::string token_;
};

}  // namespace tanggul::shield
