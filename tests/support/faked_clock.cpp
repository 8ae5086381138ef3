#include "support/faked_clock.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace tanggul::test {

FakedClock::FakedClock(std::chrono::seconds off) {
  const std::string zero(sizeof *offset_, '\0');
  const int fd = ::open(dir_.write("off", zero).c_str(), O_RDWR | O_CLOEXEC);
  void* page = ::mmap(nullptr, sizeof *offset_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (page == MAP_FAILED) throw std::runtime_error("cannot share a clock");
  offset_ = static_cast<std::atomic<std::int64_t>*>(page);
  set(off);
}

FakedClock::~FakedClock() { ::munmap(offset_, sizeof *offset_); }

std::map<std::string, std::string> FakedClock::env() const {
  return {{"LD_PRELOAD", CLOCK_SHIM_PATH}, {"TANGGUL_TEST_CLOCK", dir_.file("off")}};
}

}  // namespace tanggul::test
