#pragma once

#include <functional>
#include <optional>
#include <string>

namespace tanggul::app {

// The environment as an argument, so that a test can bring its own.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// That of this process. Reads only; call it before threads that might change it exist.
Environment process_environment();

struct Expanded {
  std::string text;
  std::string unset;  // the first variable that is not set; empty: all are
  bool open = false;  // a ${ without its }
};

// Replaces each ${NAME}; a dollar sign alone stays. What comes out is not looked at again.
Expanded expand(std::string_view text, const Environment& environment);

}  // namespace tanggul::app
