#pragma once

#include <string>
#include <system_error>

#include "base/bytes.h"
#include "base/utf8.h"
#include "ports/source_tree.h"

namespace tanggul::folder {

inline Failure fault(const std::string& path, int error) {
  return {Errc::io, to_utf8(printable(path)) + ": " + std::generic_category().message(error)};
}

}  // namespace tanggul::folder
