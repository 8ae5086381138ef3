#include "cache/purge_journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/file_io.h"
#include "base/log.h"
#include "cache/block_checks.h"
#include "cache/byte_fields.h"
#include "tanggul/base/clock.h"

namespace tanggul::cache {
namespace {

constexpr std::string_view kMagic = "tanggul purges 1\n";
constexpr std::size_t kHead = kMagic.size() + 8;
constexpr std::size_t kFrame = 12;       // size and checksum of a record
constexpr ByteCount kLongest = 256_MiB;  // a file that nobody wrote

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
  if (rule > static_cast<std::uint8_t>(PurgeJournal::Rule::all_tags)) return std::nullopt;
  return record;
}

std::string head_of(Generation floor) {
  std::string head(kMagic);
  FieldWriter(head).number(floor);
  return head;
}

}  // namespace

struct PurgeJournal::Descriptor {
  explicit Descriptor(const std::string& path, int flags)
      : number(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600)) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int number;
};

PurgeJournal::PurgeJournal(std::string path) : path_(std::move(path)) {
  if (path_.empty()) {
    floor_ = 1;
    return;
  }
  file_ = std::make_shared<Descriptor>(path_, 0);
  if (file_->number >= 0 && read()) return;
  struct stat now = {};
  if (file_->number >= 0 && ::fstat(file_->number, &now) == 0 && now.st_size > 0)
    log::warn("{} cannot be read: what was stored before counts as purged", path_);
  begin();
}

bool PurgeJournal::read() {
  struct stat now = {};
  if (::fstat(file_->number, &now) != 0 || static_cast<ByteCount>(now.st_size) > kLongest)
    return false;
  std::string bytes(static_cast<std::size_t>(now.st_size), '\0');
  const ssize_t got = ::pread(file_->number, bytes.data(), bytes.size(), 0);
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
  size_ = records_.size();
  return true;
}

void PurgeJournal::begin() {
  records_.clear();
  const auto since = wall_now().time_since_epoch();
  floor_ =
      static_cast<Generation>(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
  rewrite({});
}

// Under another name first: a reader finds the old or the new, whole.
bool PurgeJournal::rewrite(const std::vector<Record>& records) {
  if (path_.empty()) return true;
  std::string bytes = head_of(floor_);
  for (const Record& r : records) bytes += encode(r);
  const std::string made = path_ + ".new";
  auto file = std::make_shared<Descriptor>(made, O_TRUNC);
  if (file->number < 0 || !write_at(file->number, 0, bytes) || ::fdatasync(file->number) != 0 ||
      ::rename(made.c_str(), path_.c_str()) != 0) {
    ::unlink(made.c_str());
    if (file_ && file_->number < 0) file_.reset();
    return false;
  }
  const int folder = ::open(path_.substr(0, path_.rfind('/') + 1).c_str(), O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) ::fsync(folder), ::close(folder);
  file_ = std::move(file);
  end_ = bytes.size();
  size_ = records.size();
  return true;
}

bool PurgeJournal::append(const Record& record) {
  if (path_.empty()) return true;
  if (!file_ || end_ == 0) return false;
  const std::string bytes = encode(record);
  // What a failed write has left behind is written over by the next, or fails its checksum.
  if (!write_at(file_->number, end_, bytes)) return false;
  end_ += bytes.size();
  ++size_;
  return true;
}

std::function<bool()> PurgeJournal::sync() const {
  return [file = file_, nothing = path_.empty()] {
    return nothing || (file && ::fdatasync(file->number) == 0);
  };
}

}  // namespace tanggul::cache
