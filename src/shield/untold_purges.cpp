#include "shield/untold_purges.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "base/base64.h"
#include "base/bytes.h"

namespace tanggul::shield {

UntoldPurges::UntoldPurges(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  std::ifstream in(file_);
  for (std::string line; former_.size() < kMost && std::getline(in, line);) {
    const auto space = std::min(line.find(' '), line.size());
    const auto rule = parse_decimal(line.substr(0, space));
    const auto what = from_base64(std::string_view(line).substr(std::min(space + 1, line.size())));
    if (!in.eof() && rule && *rule <= 255 && what)
      former_.push_back({.rule = static_cast<std::uint8_t>(*rule), .what = *what});
  }
}

std::string UntoldPurges::line_of(const ports::SharedPurge& purge) {
  return std::to_string(purge.rule) + " " + to_base64(purge.what) + "\n";
}

bool UntoldPurges::take_over(const std::vector<ports::SharedPurge>& purges) {
  if (file_.empty() || purges.empty()) return true;
  former_.clear();
  const std::string young = file_ + ".new";
  const Lock lock(mutex_);
  std::ofstream out(young, std::ios::trunc);
  for (const ports::SharedPurge& purge : purges) out << *lines_.insert(line_of(purge));
  out.close();
  return !out.fail() && std::rename(young.c_str(), file_.c_str()) == 0;
}

bool UntoldPurges::add(const ports::SharedPurge& purge) {
  if (file_.empty()) return true;
  const std::string line = line_of(purge);
  const Lock lock(mutex_);
  if (lines_.size() >= kMost) return false;
  const int fd = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool whole = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  ::close(fd);
  lines_.insert(line);
  return whole;
}

void UntoldPurges::told(const ports::SharedPurge& purge) {
  if (file_.empty()) return;
  const Lock lock(mutex_);
  const auto at = lines_.find(line_of(purge));
  if (at == lines_.end()) return;
  lines_.erase(at);
  if (lines_.empty()) ::unlink(file_.c_str());
}

}  // namespace tanggul::shield
