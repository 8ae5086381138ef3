#include "base/failure.h"

#include <stdexcept>

namespace tanggul {

void throw_exception_from_error(const Failure& failure, const boost::source_location&) {
  throw std::runtime_error(failure.detail);
}

}  // namespace tanggul
