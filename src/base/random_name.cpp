#include "base/random_name.h"

#include <sys/random.h>

#include <cerrno>
#include <stdexcept>

#include "base/bytes.h"

namespace tanggul {

std::string random_name(std::size_t bytes) {
  std::string raw(bytes, '\0');
  for (std::size_t have = 0; have < bytes;) {
    const ssize_t got = getrandom(raw.data() + have, bytes - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("no randomness to be had");
    have += static_cast<std::size_t>(got);
  }
  return to_hex(raw);
}

}  // namespace tanggul
