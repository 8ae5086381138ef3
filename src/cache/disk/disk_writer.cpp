// The writing half of the disk tier: one thread that indexes what it finds and then writes what it
// is given, so that what is published is in order and the bound holds.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/log.h"
#include "cache/disk/body_format.h"
#include "cache/disk/disk_tier.h"
#include "cache/disk/own_body.h"
#include "cache/disk/scan.h"
#include "cache/entry_format.h"

namespace tanggul::cache {
namespace {

// What may wait to be written: a disk slower than the origins must not fill the memory.
constexpr ByteCount kMostPending = 64_MiB;
constexpr std::size_t kMostPendingEntries = 4'096;
constexpr std::size_t kMostPendingFiles =
    256;  // each is a descriptor, and room that is not counted
constexpr std::size_t kIndexedAtOnce = 1'000;
constexpr Duration kRest = 5s;        // after a failed write
constexpr Duration kTellEvery = 10s;  // of trouble
constexpr Duration kLastWrites = 5s;  // at the end of the process
constexpr ByteCount kLeastFreed = 16_MiB;
constexpr ByteCount kHead = 64_KiB;  // of an entry

ByteCount weight_of(const Entry& entry) noexcept {
  ByteCount bytes = 1_KiB;
  for (const Form& f : entry.forms)
    if (const auto* held = std::get_if<SharedBytes>(&f.body); held && *held)
      bytes += (*held)->size();
  return bytes;
}

// The part of it that lies in files already, without a name.
ByteCount in_files(const Entry& entry) noexcept {
  ByteCount bytes = 0;
  for (const Form& f : entry.forms)
    if (const auto* file = std::get_if<FileBody>(&f.body)) bytes += file->size;
  return bytes;
}

bool is_full(int error) { return error == ENOSPC || error == EDQUOT; }

}  // namespace

DiskTier::~DiskTier() {
  {
    const Lock lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  writer_.join();
}

void DiskTier::store(const std::string& key, EntryPtr entry) {
  bool added = false;
  {
    const Lock lock(mutex_);
    added = add_pending(key, entry);
  }
  if (added) return work_.notify_one();
  skipped_.add();
  erase(key);  // what it would have replaced
  told_(key, entry, Stored::failed);
}

bool DiskTier::add_pending(const std::string& key, EntryPtr& entry) {
  const bool waited = take_pending(key) != nullptr;  // then its place in the order is there
  const ByteCount filed = in_files(*entry);
  const bool room = pending_.size() < kMostPendingEntries && pending_bytes_ < kMostPending;
  const bool files = filed == 0 || (pending_files_ < kMostPendingFiles &&
                                    (pending_files_ == 0 || pending_in_files_ < capacity_ / 10));
  if (!room || !files || MonoClock::now() < rest_until_) return false;
  pending_bytes_ += weight_of(*entry);
  pending_in_files_ += filed;
  pending_files_ += filed > 0 ? 1 : 0;
  pending_.emplace(key, std::move(entry));
  if (!waited) order_.push_back(key);
  return true;
}

EntryPtr DiskTier::take_pending(const std::string& key) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return nullptr;
  EntryPtr entry = std::move(found->second);
  pending_.erase(found);
  pending_bytes_ -= weight_of(*entry);
  const ByteCount filed = in_files(*entry);
  pending_in_files_ -= filed;
  pending_files_ -= filed > 0 ? 1 : 0;
  return entry;
}

void DiskTier::run() {
  index_all();
  if (stop_) return;  // before all was counted: the bound could not be held
  MonoTime last_write = kForever;
  for (;;) {
    std::string key;
    EntryPtr entry;
    std::vector<ObjectId> used;
    {
      const Lock lock(mutex_);
      writing_.clear();
      writing_entry_.reset();
      writing_void_ = false;
      written_.notify_all();
      while (order_.empty() && !stop_ && used_.size() < kManyUsed) work_.wait(mutex_);
      if (stop_ && last_write == kForever) last_write = MonoClock::now() + kLastWrites;
      used.swap(used_);
      if (stop_ && order_.empty() && used.empty()) return;
      if (MonoClock::now() >= last_write) return;
      if (!order_.empty()) {
        key = std::move(order_.front());
        order_.pop_front();
        entry = take_pending(key);
        if (entry) {
          writing_ = key;
          writing_entry_ = entry;
        }
      }
    }
    mark_used(used);
    if (entry) write_next(key, entry);
  }
}

void DiskTier::index_all() {
  const MonoTime began = MonoClock::now();
  std::vector<Index::Found> found = scan(layout_, stop_);
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.last_used > b.last_used; });
  // In parts: whoever looks something up meanwhile must not wait for a million.
  for (std::span<const Index::Found> left = found; !left.empty();) {
    const auto part = left.first(std::min(left.size(), kIndexedAtOnce));
    left = left.subspan(part.size());
    const Lock lock(mutex_);
    index_.add_older(part);
  }
  std::vector<Index::Object> gone;
  std::size_t objects = 0;
  ByteCount bytes = 0;
  {
    const Lock lock(mutex_);
    for (const auto& early : gone_early_) index_.erase(early.kind, early.id);
    gone_early_ = {};
    objects = index_.size();
    bytes = index_.bytes();
    gone = evict_to(capacity_);
    complete_ = true;
  }
  remove_files(gone);
  if (objects > 0)
    log::info(
        "the cache on disk holds {} files, {} MiB, indexed in {} ms", objects, bytes >> 20,
        std::chrono::duration_cast<std::chrono::milliseconds>(MonoClock::now() - began).count());
}

void DiskTier::wait_until_written() {
  const Lock lock(mutex_);
  while (!order_.empty() || writing_entry_ || !complete_) written_.wait(mutex_);
}

void DiskTier::mark_used(const std::vector<ObjectId>& ids) {
  const timespec used[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  const auto mark = [&](ObjectKind kind, ObjectId id) {
    ::utimensat(AT_FDCWD, layout_.path(kind, id).c_str(), used, AT_SYMLINK_NOFOLLOW);
  };
  for (const ObjectId id : ids) {
    std::optional<ObjectId> body;
    {
      const Lock lock(mutex_);
      body = index_.body_of(id);
    }
    mark(ObjectKind::entry, id);
    if (body) mark(ObjectKind::body, *body);
  }
}

void DiskTier::write_next(const std::string& key, const EntryPtr& entry) {
  Outcome outcome = write(key, *entry);
  if (outcome == Outcome::full) {
    // Another program's files, or spooled bodies, have taken the room that the bound counts on.
    ByteCount weight = kLeastFreed;
    for (const Form& form : entry->forms) weight += size_of(form.body);
    make_room(weight);
    outcome = write(key, *entry);
    if (outcome == Outcome::full) have_trouble(ENOSPC, "write");
  }
  if (outcome == Outcome::full || outcome == Outcome::failed) {
    skipped_.add();
    drop(ObjectKind::entry, id_of_key(key));  // what it would have replaced
    told_(key, entry, Stored::failed);
  } else {
    no_trouble();
    told_(key, entry, outcome == Outcome::shared ? Stored::shared : Stored::kept);
  }
}

DiskTier::Outcome DiskTier::write(const std::string& key, const Entry& entry) {
  std::string sha256;
  Outcome placed = Outcome::kept;
  if (!entry.forms.empty() && has_own_file(entry, size_of(entry.forms.front().body))) {
    placed = place_body(entry.forms.front().body, sha256);
    if (placed == Outcome::full || placed == Outcome::failed) return placed;
  }
  const Outcome written = write_entry(key, entry, sha256);
  return written == Outcome::kept ? placed : written;
}

DiskTier::Outcome DiskTier::write_entry(const std::string& key, const Entry& entry,
                                        const std::string& body) {
  std::vector<std::string> checksums;
  for (const Form& form : entry.forms) {
    const auto* file = std::get_if<FileBody>(&form.body);
    const bool own = !body.empty();
    checksums.push_back(own    ? body
                        : file ? digest_of(*file->file, file->offset, file->size)
                               : std::string());
  }
  const std::string head = encode(entry, key, checksums);
  if (head.empty()) return Outcome::failed;
  ByteCount size = head.size();
  if (body.empty())
    for (const Form& form : entry.forms) size += size_of(form.body);
  if (!make_room_for(size)) return Outcome::failed;
  const auto file = new_file();
  if (!file) return outcome_of_errno();
  bool written = (*file)->append(head).has_value();
  const auto append = [&](std::string_view piece) { return (*file)->append(piece).has_value(); };
  if (body.empty())
    for (const Form& form : entry.forms) written = written && each_piece(form.body, append);
  const ObjectId id = id_of_key(key);
  if (!written || !publication_.publish(**file, ObjectKind::entry, id)) return outcome_of_errno();
  bool erased = false;
  {
    const Lock lock(mutex_);
    erased = writing_void_;
    if (!erased) {
      index_.put(ObjectKind::entry, id, size);
      if (!body.empty()) index_.tie(id, id_of_digest(body));
    }
  }
  if (erased) ::unlink(layout_.path(ObjectKind::entry, id).c_str());
  return Outcome::kept;
}

Result<std::shared_ptr<File>> DiskTier::new_file() {
  auto file = File::create(layout_.arrivals());
  if (file || errno != ENOENT || !layout_.make()) return file;
  // Somebody has removed the folders, and what was in them is not there any more.
  {
    const Lock lock(mutex_);
    index_.clear();
  }
  index_all();
  return File::create(layout_.arrivals());
}

DiskTier::Outcome DiskTier::place_body(const Body& body, std::string& sha256) {
  const auto* held = std::get_if<FileBody>(&body);
  if (held && !held->file->content().empty() && held->offset == 0) {
    const ObjectId id = id_of_digest(held->file->content());
    const Lock lock(mutex_);
    if (held->file->current() && index_.has(ObjectKind::body, id)) {
      sha256 = held->file->content();
      return Outcome::kept;
    }
  }
  // A file that had a name and has lost it cannot be given another (linkat(2)).
  const bool has_no_file = !held || !held->file->content().empty() || held->offset > 0;
  std::shared_ptr<File> file;
  if (has_no_file) {
    if (!make_room_for(size_of(body))) return Outcome::failed;
    auto made = new_file();
    if (!made) return outcome_of_errno();
    file = std::move(*made);
  }
  BodySeal seal;
  const bool read = each_piece(body, [&](std::string_view piece) {
    seal.update(piece);
    return !has_no_file || file->append(piece).has_value();
  });
  if (!read) return outcome_of_errno();
  std::string trailer = seal.finish();
  sha256 = seal.sha256();
  return place_file(has_no_file ? file : held->file, std::move(trailer), sha256, size_of(body));
}

DiskTier::Outcome DiskTier::place_file(const std::shared_ptr<File>& file, std::string trailer,
                                       const std::string& sha256, ByteCount size) {
  const ObjectId id = id_of_digest(sha256);
  // All of it is looked at before the copy at hand is given up for it.
  if (const auto there = open_body(sha256, size); there && (*there)->right(0, size)) {
    const Lock lock(mutex_);
    if (index_.has(ObjectKind::body, id)) {
      index_.touch(ObjectKind::body, id);
      return Outcome::shared;
    }
  }
  // And for its entry's head, which would else evict the body at once that it belongs to.
  if (!make_room_for(size + trailer.size() + kHead)) return Outcome::failed;
  if (!file->write_at(size, trailer) || !publication_.publish(*file, ObjectKind::body, id))
    return outcome_of_errno();
  file->seal(sha256);
  const Lock lock(mutex_);
  index_.put(ObjectKind::body, id, size + trailer.size());
  open_bodies_[id] = file;
  return Outcome::kept;
}

// False: it is larger than what one object may take up.
bool DiskTier::make_room_for(ByteCount size) {
  std::vector<Index::Object> gone;
  {
    const Lock lock(mutex_);
    const ByteCount weight = Index::weight(size);
    if (weight > capacity_ / 2) return false;
    gone = evict_to(capacity_ - weight);
  }
  remove_files(gone);
  return true;
}

DiskTier::Outcome DiskTier::outcome_of_errno() {
  const int error = errno;
  if (is_full(error)) return Outcome::full;
  have_trouble(error, "write");
  return Outcome::failed;
}

void DiskTier::have_trouble(int error, std::string_view doing) {
  errors_.add();
  const char* reason = ::strerrordesc_np(error);
  const std::string what = "the cache on disk cannot " + std::string(doing) + ": " +
                           std::string(reason != nullptr ? reason : "unknown error") + " (" +
                           layout_.root() + ")";
  const MonoTime now = MonoClock::now();
  const Lock lock(mutex_);
  trouble_ = what;
  rest_until_ = now + kRest;
  if (told_trouble_ > MonoTime{} && now - told_trouble_ < kTellEvery) return;
  told_trouble_ = now;
  told_this_one_ = true;
  log::error("{}; serving goes on from memory and from the origins", what);
}

void DiskTier::no_trouble() {
  const Lock lock(mutex_);
  if (trouble_.empty()) return;
  trouble_.clear();
  rest_until_ = {};
  if (std::exchange(told_this_one_, false)) log::info("the cache on disk is written to again");
}

}  // namespace tanggul::cache
