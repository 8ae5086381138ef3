#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cache/entry.h"

namespace tanggul::cache {

// The purges of a data directory as an append-only file, read back at the next start. Each record
// carries a checksum; what follows the first that does not fit was cut off by the end of the
// process, and is dropped. One thread at a time.
//
//   "tanggul purges 1\n", u64 floor, and for each: u32 size, u64 XXH3, u8 rule, u64 generation,
//   text
class PurgeJournal {
 public:
  enum class Rule : std::uint8_t {
    origin,
    tag,  // its hash, in decimal
    target,
    prefix,
    documents,      // below a prefix
    all_documents,  // of an origin
    all_tags,
  };
  struct Record {
    Rule rule;
    Generation generation;
    std::string what;
  };

  // Empty path: keeps nothing, append() succeeds. Never fails: what cannot be read begins anew.
  explicit PurgeJournal(std::string path);
  PurgeJournal(const PurgeJournal&) = delete;
  PurgeJournal& operator=(const PurgeJournal&) = delete;

  // The generation of its beginning: microseconds since 1970, so that one that begins anew is past
  // all that came before.
  Generation floor() const noexcept { return floor_; }
  std::vector<Record> take_records() { return std::move(records_); }

  // Survives the process when it returns, a power cut after sync(). False: it could not be written.
  bool append(const Record& record);
  // What is to be waited for outside of any lock; it tells whether all is on the disk.
  std::function<bool()> sync() const;

  // How many records there are; of those that were overtaken by others they can be freed.
  std::size_t size() const noexcept { return size_; }
  bool rewrite(const std::vector<Record>& records);

 private:
  struct Descriptor;

  bool read();
  void begin();

  const std::string path_;
  std::shared_ptr<const Descriptor> file_;
  std::size_t size_ = 0;
  ByteCount end_ = 0;  // of what is whole
  Generation floor_ = 0;
  std::vector<Record> records_;
};

}  // namespace tanggul::cache
