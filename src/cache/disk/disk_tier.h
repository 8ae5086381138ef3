#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

#include "base/metrics.h"
#include "base/mutex.h"
#include "cache/disk/index.h"
#include "cache/disk/layout.h"
#include "cache/disk/publication.h"
#include "cache/entry.h"
#include "tanggul/base/clock.h"

namespace tanggul::cache {

struct DiskConfig {
  std::string root;  // the tier's own folder
  ByteCount capacity = 10_GiB;
  ByteCount in_memory = 16_MiB;  // bodies that lie with their entry are read into memory up to here
  bool sync = false;
};

// Entries in files, found again after kill -9. What is stored is written in the background by one
// thread; what is read has been checked, or is checked as it is read, and is a miss if it is not
// what was written. The file system is the index: an entry's file is named by its key, so that the
// tier serves at once after a start, while a scan counts what is there. A second index in a
// database would cost a transaction for each entry and could disagree with the files.
//
// No more than `capacity` lies in it, whole blocks counted, once the scan is through, before which
// nothing is written. When the disk takes no more, is full, or the process has no descriptors left,
// the tier goes on with what it has, says so, and tries again after a while.
//
// Thread-safe. load() reads from the disk: not for a thread that others wait on.
class DiskTier {
 public:
  enum class Stored {
    kept,
    shared,  // kept, and its body is another file's: whoever holds the entry should load it anew
    failed,
  };
  // On the writer's thread, after each store().
  using Told = std::function<void(const std::string& key, const EntryPtr& entry, Stored how)>;

  DiskTier(DiskConfig config, MetricSet& metrics, Told told);
  ~DiskTier();  // after what waits to be written, for a few seconds at most
  DiskTier(const DiskTier&) = delete;
  DiskTier& operator=(const DiskTier&) = delete;

  // False: nothing is there. Costs no look at the disk.
  bool may_hold(std::string_view key) const;
  EntryPtr load(std::string_view key);  // nullptr: a miss
  // Takes the place of what is there. Not of failures, which live in memory only.
  void store(const std::string& key, EntryPtr entry);
  // True: there was something, or there may have been.
  bool erase(std::string_view key);
  // It has been served from memory: that counts as a use.
  void touch(std::string_view key);

  void set_capacity(ByteCount capacity);
  void set_in_memory(ByteCount most) noexcept { in_memory_.store(most); }
  // Evicts that much: somebody else needs the room, and the disk is full.
  void make_room(ByteCount bytes);
  // Whether a file that was handed out has been evicted since this was last asked.
  bool take_retired() noexcept { return retired_.exchange(false); }

  ByteCount largest() const;  // of the bodies that are taken
  ByteCount bytes() const;
  std::size_t objects() const;
  std::uint64_t evictions() const noexcept { return evictions_.load(); }
  bool indexing() const noexcept { return !complete_.load(); }
  // What has kept it from writing lately; empty: nothing.
  std::string trouble() const;
  void wait_until_written();  // all that was stored before

 private:
  static constexpr std::size_t kManyUsed = 1'024;  // uses that the writer is woken for
  struct Load;
  enum class Outcome { kept, shared, full, failed };

  // --- reading ---
  EntryPtr waiting(std::string_view key) const REQUIRES(mutex_);
  bool read_bodies(Load& load);
  std::shared_ptr<File> already_open(ObjectId id, std::string_view sha256) const REQUIRES(mutex_);
  // Errc::limit: there are no descriptors left; bad_input: it is gone, or damaged.
  Result<std::shared_ptr<File>> open_body(std::string_view sha256, ByteCount length);
  void drop(ObjectKind kind, ObjectId id);
  void damaged(ObjectKind kind, ObjectId id);

  bool add_pending(const std::string& key, EntryPtr& entry) REQUIRES(mutex_);
  EntryPtr take_pending(const std::string& key) REQUIRES(mutex_);

  // --- writing, on its thread ---
  void run();
  void index_all();
  void write_next(const std::string& key, const EntryPtr& entry);
  Outcome write(const std::string& key, const Entry& entry);
  Outcome write_entry(const std::string& key, const Entry& entry, const std::string& body);
  Result<std::shared_ptr<File>> new_file();
  Outcome place_body(const Body& body, std::string& sha256);
  Outcome place_file(const std::shared_ptr<File>& file, std::string trailer,
                     const std::string& sha256, ByteCount size);
  Outcome outcome_of_errno();
  bool make_room_for(ByteCount size);
  void mark_used(const std::vector<ObjectId>& ids);

  std::vector<Index::Object> evict_to(ByteCount most) REQUIRES(mutex_);
  void remove_files(const std::vector<Index::Object>& objects);
  void have_trouble(int error, std::string_view doing);
  void no_trouble();

  const Layout layout_;
  std::atomic<ByteCount> in_memory_;
  const Told told_;
  Publication publication_;
  Counter& damaged_;
  Counter& skipped_;
  Counter& errors_;
  std::atomic<bool> complete_{false}, stop_{false}, retired_{false};
  std::atomic<std::uint64_t> evictions_{0};

  mutable Mutex mutex_;
  std::condition_variable_any work_, written_;
  Index index_ GUARDED_BY(mutex_);
  ByteCount capacity_ GUARDED_BY(mutex_);
  std::deque<std::string> order_ GUARDED_BY(mutex_);  // of keys to be written
  std::unordered_map<std::string, EntryPtr> pending_ GUARDED_BY(mutex_);
  ByteCount pending_bytes_ GUARDED_BY(mutex_) = 0;
  ByteCount pending_in_files_ GUARDED_BY(mutex_) = 0;
  std::size_t pending_files_ GUARDED_BY(mutex_) = 0;
  std::string writing_ GUARDED_BY(mutex_);  // the key that is being written
  EntryPtr writing_entry_ GUARDED_BY(mutex_);
  bool writing_void_ GUARDED_BY(mutex_) = false;  // erased meanwhile
  std::vector<ObjectId> used_ GUARDED_BY(mutex_);
  // Gone while the scan was looking, which may have seen them before.
  std::vector<Index::Object> gone_early_ GUARDED_BY(mutex_);
  std::map<ObjectId, std::weak_ptr<File>> open_bodies_ GUARDED_BY(mutex_);
  std::string trouble_ GUARDED_BY(mutex_);
  MonoTime rest_until_ GUARDED_BY(mutex_){};
  MonoTime told_trouble_ GUARDED_BY(mutex_){};
  bool told_this_one_ GUARDED_BY(mutex_) = false;

  std::thread writer_;  // last: it uses all the others
};

}  // namespace tanggul::cache
