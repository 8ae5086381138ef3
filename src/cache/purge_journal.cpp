#include "cache/purge_journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <optional>

#include "base/clock.h"
#include "cache/block_checks.h"
#include "cache/byte_fields.h"

namespace tanggul::cache {
namespace {

constexpr std::string_view kMagic = "tanggul purges 1\n";
constexpr std::size_t kHead = kMagic.size() + 8;
constexpr std::size_t kFrame = 12;           // size and checksum of a record
constexpr ByteCount kLongest = 256_MiB;      // a file that nobody wrote
constexpr std::size_t kCompactFrom = 1'000;  // records

std::string encode(const PurgeJournal::Record& record) {
  std::string payload;
  FieldWriter to(payload);
  to.number(static_cast<std::uint8_t>(record.rule));
  to.number(record.generation);
  to.text(record.what);
  std::string out;
  FieldWriter frame(out);
  frame.count(payload.size());
  frame.number(BlockChecks::sum(payload));
  return out + payload;
}

std::optional<PurgeJournal::Record> decode(std::string_view payload) {
  FieldReader from(payload);
  const auto rule = from.number<std::uint8_t>();
  PurgeJournal::Record record{static_cast<PurgeJournal::Rule>(rule), from.number<Generation>(), {}};
  record.what = from.text();
  if (!from.at_end() || !from.good()) return std::nullopt;
  if (rule > static_cast<std::uint8_t>(PurgeJournal::Rule::documents)) return std::nullopt;
  return record;
}

bool write_at(int fd, std::string_view bytes, ByteCount at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<ByteCount>(n);
  }
  return true;
}

std::string head_of(Generation floor) {
  std::string head(kMagic);
  FieldWriter(head).number(floor);
  return head;
}

}  // namespace

PurgeJournal::PurgeJournal(std::string path) : path_(std::move(path)) {
  if (path_.empty()) {
    floor_ = 1;
    return;
  }
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd_ < 0 || !read()) begin();
  if (records_.size() >= kCompactFrom) compact();
}

PurgeJournal::~PurgeJournal() {
  if (fd_ >= 0) ::close(fd_);
}

bool PurgeJournal::read() {
  struct stat now{};
  if (::fstat(fd_, &now) != 0 || static_cast<ByteCount>(now.st_size) > kLongest) return false;
  std::string bytes(static_cast<std::size_t>(now.st_size), '\0');
  const ssize_t got = ::pread(fd_, bytes.data(), bytes.size(), 0);
  if (got != now.st_size || bytes.size() < kHead || !bytes.starts_with(kMagic)) return false;
  std::string_view left = std::string_view(bytes).substr(kMagic.size());
  floor_ = FieldReader(left).number<Generation>();
  left.remove_prefix(8);
  end_ = kHead;
  while (left.size() >= kFrame) {
    FieldReader frame(left);
    const std::size_t size = frame.number<std::uint32_t>();
    const auto sum = frame.number<std::uint64_t>();
    if (size > left.size() - kFrame) break;
    const std::string_view payload = left.substr(kFrame, size);
    auto record = BlockChecks::sum(payload) == sum ? decode(payload) : std::nullopt;
    if (!record) break;
    records_.push_back(std::move(*record));
    left.remove_prefix(kFrame + size);
    end_ += kFrame + size;
  }
  return true;
}

void PurgeJournal::begin() {
  records_.clear();
  const auto since = wall_now().time_since_epoch();
  floor_ =
      static_cast<Generation>(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
  end_ = kHead;
  if (fd_ < 0) return;
  const std::string head = head_of(floor_);
  if (::ftruncate(fd_, 0) != 0 || !write_at(fd_, head, 0) || ::fdatasync(fd_) != 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

void PurgeJournal::compact() {
  std::map<std::pair<Rule, std::string>, std::size_t> last;
  for (std::size_t i = 0; i < records_.size(); ++i) last[{records_[i].rule, records_[i].what}] = i;
  std::vector<Record> kept;
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (last[{records_[i].rule, records_[i].what}] == i) kept.push_back(records_[i]);
  std::string bytes = head_of(floor_);
  for (const Record& r : kept) bytes += encode(r);
  const std::string made = path_ + ".new";
  const int fd = ::open(made.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  if (!write_at(fd, bytes, 0) || ::fdatasync(fd) != 0 ||
      ::rename(made.c_str(), path_.c_str()) != 0) {
    ::close(fd);
    ::unlink(made.c_str());
    return;
  }
  ::close(fd_);
  fd_ = fd;
  end_ = bytes.size();
  records_ = std::move(kept);
}

bool PurgeJournal::append(const Record& record) {
  if (path_.empty()) return true;
  if (fd_ < 0) return false;
  const std::string bytes = encode(record);
  // What a failed write has left behind is written over by the next, or fails its checksum.
  if (!write_at(fd_, bytes, end_) || ::fdatasync(fd_) != 0) return false;
  end_ += bytes.size();
  return true;
}

}  // namespace tanggul::cache
