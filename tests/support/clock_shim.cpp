// Preloaded into a child process, whose wall clock is then off by as many seconds as stand in the
// file that TANGGUL_TEST_CLOCK names, from one look at it to the next. Of all else that tells or
// measures time nothing is touched: a library that fakes timers too makes Asio's wait for hours.
// Without a byte of memory asked for, so that it can stand below a sanitizer's runtime.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

using Offset = std::atomic<std::int64_t>;
std::atomic<const Offset*> offset{nullptr};

__attribute__((constructor)) void map_offset() {
  const char* path = std::getenv("TANGGUL_TEST_CLOCK");
  if (path == nullptr) return;
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void* page = ::mmap(nullptr, sizeof(Offset), PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  if (page != MAP_FAILED) offset = static_cast<const Offset*>(page);
}

std::int64_t off_by() {
  const Offset* at = offset;
  return at == nullptr ? 0 : at->load();
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t id, timespec* to) noexcept {
  const auto status = static_cast<int>(::syscall(SYS_clock_gettime, id, to));
  if (status == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) to->tv_sec += off_by();
  return status;
}

int gettimeofday(timeval* __restrict to, void* __restrict) noexcept {
  timespec now{};
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  *to = {now.tv_sec, now.tv_nsec / 1000};
  return status;
}

time_t time(time_t* to) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != nullptr) *to = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
