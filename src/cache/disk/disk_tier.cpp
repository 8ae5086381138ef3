#include "cache/disk/disk_tier.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "base/log.h"
#include "cache/disk/body_format.h"
#include "cache/disk/own_body.h"
#include "cache/entry_format.h"

namespace tanggul::cache {
namespace {

// A body up to here is checked as a whole before its entry is handed out; of a larger one the
// beginning, and the rest as it is read.
constexpr ByteCount kCheckedAtOnce = 64_MiB;

// How long after a failed write it counts as still failing, when nothing was there to write since.
constexpr Duration kLately = 10s;
// Uses that wait to be written down; what is more is lost.
constexpr std::size_t kMostUsed = 65'536;

bool is_short_of_descriptors(int error) { return error == EMFILE || error == ENFILE; }

}  // namespace

// One entry on its way in.
struct DiskTier::Load {
  ObjectId id;
  std::shared_ptr<File> file;  // the entry's own
  DecodedEntry decoded;
  ByteCount body_at = 0;         // where in `file` the next body begins
  std::optional<ObjectId> body;  // of its own file
};

DiskTier::DiskTier(DiskConfig config, MetricSet& metrics, Told told)
    : layout_(config.root),
      in_memory_(config.in_memory),
      told_(std::move(told)),
      publication_(layout_, config.sync),
      damaged_(metrics.counter("tanggul_cache_damaged_total",
                               "Files of the cache that were not what had been written")),
      skipped_(metrics.counter("tanggul_cache_disk_skipped_total",
                               "Entries not written to disk: it could not, or not so fast")),
      errors_(metrics.counter("tanggul_cache_disk_errors_total", "Failed writes to the cache")),
      capacity_(config.capacity) {
  if (!layout_.make()) have_trouble(errno, "make its folders");
  writer_ = std::thread([this] { run(); });
}

bool DiskTier::may_hold(std::string_view key) const {
  const ObjectId id = id_of_key(key);
  const Lock lock(mutex_);
  return !complete_ || index_.has(ObjectKind::entry, id) || waiting(key) != nullptr;
}

EntryPtr DiskTier::waiting(std::string_view key) const {
  // What came last first: the one may be written while the next already waits.
  if (const auto next = pending_.find(std::string(key)); next != pending_.end())
    return next->second;
  return writing_entry_ && writing_ == key && !writing_void_ ? writing_entry_ : nullptr;
}

EntryPtr DiskTier::load(std::string_view key) {
  Load load;
  load.id = id_of_key(key);
  {
    const Lock lock(mutex_);
    if (EntryPtr held = waiting(key)) return held;
    if (complete_ && !index_.has(ObjectKind::entry, load.id)) return nullptr;
  }
  auto file = File::open(layout_.path(ObjectKind::entry, load.id));
  if (!file) {
    if (is_short_of_descriptors(errno)) {
      have_trouble(errno, "read");
    } else {
      drop(ObjectKind::entry, load.id);
    }
    return nullptr;
  }
  load.file = std::move(*file);
  const auto prefix = load.file->read(0, kEntryPrefix);
  const auto size = prefix ? encoded_size(*prefix) : prefix.error();
  struct stat now = {};
  const bool whole = size && ::fstat(load.file->descriptor(), &now) == 0 &&
                     static_cast<ByteCount>(now.st_size) >= *size;
  const auto head = whole ? load.file->read(0, *size) : Result<std::string>(Errc::bad_input);
  auto decoded = head ? decode(*head) : head.error();
  if (!decoded && decoded.error() == unknown_version()) {
    drop(ObjectKind::entry, load.id);
    return nullptr;
  }
  if (!decoded) {
    damaged(ObjectKind::entry, load.id);
    return nullptr;
  }
  if (decoded->key != key) return nullptr;  // another key whose digest begins the same
  load.decoded = std::move(*decoded);
  load.body_at = *size;
  if (!read_bodies(load)) return nullptr;
  auto entry = std::make_shared<Entry>(std::move(load.decoded.entry));
  encode_heads(*entry);
  const timespec used[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  ::futimens(load.file->descriptor(), used);
  const Lock lock(mutex_);
  if (load.body) index_.tie(load.id, *load.body);
  index_.touch(ObjectKind::entry, load.id);
  return entry;
}

bool DiskTier::read_bodies(Load& load) {
  Entry& entry = load.decoded.entry;
  ByteCount all = 0;
  for (const StoredBody& body : load.decoded.bodies) all += body.length;
  const bool to_memory = all <= in_memory_;
  for (std::size_t i = 0; i < entry.forms.size(); ++i) {
    const StoredBody& body = load.decoded.bodies[i];
    Form& form = entry.forms[i];
    if (!body.present) continue;
    if (has_own_file(entry, body.length)) {
      load.body = id_of_digest(body.sha256);
      auto file = open_body(body.sha256, body.length);
      if (!file) {
        // Without a descriptor nobody knows: it may be there the next time.
        if (file.error() != Errc::limit) drop(ObjectKind::entry, load.id);
        return false;
      }
      form.body = FileBody{std::move(*file), body.length};
      continue;
    }
    auto bytes = to_memory ? load.file->read(load.body_at, static_cast<std::size_t>(body.length))
                           : Result<std::string>(std::string());
    const bool right = to_memory ? bytes && Digest::of(DigestKind::sha256, *bytes) == body.sha256
                                 : digest_of(*load.file, load.body_at, body.length) == body.sha256;
    if (!right) {
      damaged(ObjectKind::entry, load.id);
      return false;
    }
    if (to_memory) {
      form.body = std::make_shared<const std::string>(std::move(*bytes));
    } else {
      load.file->seal(body.sha256);
      form.body = FileBody{load.file, body.length, load.body_at};
    }
    load.body_at += body.length;
  }
  return true;
}

// Two keys with the same body read from one open file.
std::shared_ptr<File> DiskTier::already_open(ObjectId id, std::string_view sha256) const {
  const auto open = open_bodies_.find(id);
  auto file = open == open_bodies_.end() ? nullptr : open->second.lock();
  return file && file->current() && file->content() == sha256 ? file : nullptr;
}

Result<std::shared_ptr<File>> DiskTier::open_body(std::string_view sha256, ByteCount length) {
  const ObjectId id = id_of_digest(sha256);
  {
    const Lock lock(mutex_);
    if (auto file = already_open(id, sha256)) return file;
  }
  auto opened = File::open(layout_.path(ObjectKind::body, id));
  if (!opened) {
    if (!is_short_of_descriptors(errno)) return Errc::bad_input;
    have_trouble(errno, "read");
    return Errc::limit;
  }
  File& file = **opened;
  if (!read_seal(file, sha256, length)) {
    damaged(ObjectKind::body, id);
    return Errc::bad_input;
  }
  file.tell_of_damage([this, id] { damaged(ObjectKind::body, id); });
  if (!file.right(0, std::min(length, kCheckedAtOnce))) return Errc::bad_input;
  file.seal(std::string(sha256));
  const timespec used[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  ::futimens(file.descriptor(), used);
  const Lock lock(mutex_);
  if (auto other = already_open(id, sha256)) return other;  // opened at the same time
  open_bodies_[id] = *opened;
  return std::move(*opened);
}

void DiskTier::drop(ObjectKind kind, ObjectId id) {
  {
    const Lock lock(mutex_);
    index_.erase(kind, id);
    if (!complete_) gone_early_.push_back({id, kind});
  }
  ::unlink(layout_.path(kind, id).c_str());
}

void DiskTier::damaged(ObjectKind kind, ObjectId id) {
  damaged_.add();
  log::error("the cache's file {} is damaged; what it held is fetched anew when it is asked for",
             layout_.path(kind, id));
  drop(kind, id);
}

bool DiskTier::erase(std::string_view key) {
  const ObjectId id = id_of_key(key);
  bool held = false;
  {
    const Lock lock(mutex_);
    held = take_pending(std::string(key)) != nullptr;
    if (writing_entry_ && writing_ == key) writing_void_ = held = true;
    held = index_.erase(ObjectKind::entry, id) || held || !complete_;
    if (!complete_) gone_early_.push_back({id, ObjectKind::entry});
  }
  if (held) ::unlink(layout_.path(ObjectKind::entry, id).c_str());
  return held;
}

void DiskTier::touch(std::string_view key) {
  const ObjectId id = id_of_key(key);
  bool many = false;
  {
    const Lock lock(mutex_);
    if (!index_.touch(ObjectKind::entry, id) || used_.size() >= kMostUsed) return;
    used_.push_back(id);
    many = used_.size() == kManyUsed;
  }
  if (many) work_.notify_one();
}

void DiskTier::set_capacity(ByteCount capacity) {
  std::vector<Index::Object> gone;
  {
    const Lock lock(mutex_);
    capacity_ = capacity;
    if (complete_) gone = evict_to(capacity);
  }
  remove_files(gone);
}

void DiskTier::make_room(ByteCount bytes) {
  std::vector<Index::Object> gone;
  {
    const Lock lock(mutex_);
    const ByteCount held = index_.bytes();
    gone = evict_to(held - std::min(held, bytes));
  }
  remove_files(gone);
}

std::vector<Index::Object> DiskTier::evict_to(ByteCount most) {
  std::vector<Index::Object> gone;
  while (index_.bytes() > most) {
    const auto object = index_.evict(capacity_);
    if (!object) break;
    ++evictions_;
    if (const auto open = open_bodies_.find(object->id);
        object->kind == ObjectKind::body && open != open_bodies_.end()) {
      if (const auto file = open->second.lock()) {
        file->retire();
        retired_ = true;
      }
      open_bodies_.erase(open);
    }
    gone.push_back(*object);
  }
  return gone;
}

void DiskTier::remove_files(const std::vector<Index::Object>& objects) {
  for (const auto& object : objects) ::unlink(layout_.path(object.kind, object.id).c_str());
}

ByteCount DiskTier::largest() const {
  constexpr ByteCount kBesideTheBody = 128_KiB;  // its seal, its entry's head
  const Lock lock(mutex_);
  return capacity_ / 2 - std::min(capacity_ / 2, kBesideTheBody);
}

ByteCount DiskTier::bytes() const {
  const Lock lock(mutex_);
  return index_.bytes();
}

std::size_t DiskTier::objects() const {
  const Lock lock(mutex_);
  return index_.size();
}

std::string DiskTier::trouble() const {
  const Lock lock(mutex_);
  const bool lately = MonoClock::now() < rest_until_ + kLately;
  return lately ? trouble_ : std::string();
}

}  // namespace tanggul::cache
