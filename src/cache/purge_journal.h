#pragma once

#include <cstdint>
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
  enum class Rule : std::uint8_t { origin, tag, target, prefix, documents };
  struct Record {
    Rule rule;
    Generation generation;
    std::string what;
  };

  // Empty path: keeps nothing, append() succeeds. Never fails: what cannot be read begins anew.
  explicit PurgeJournal(std::string path);
  ~PurgeJournal();
  PurgeJournal(const PurgeJournal&) = delete;
  PurgeJournal& operator=(const PurgeJournal&) = delete;

  // The generation of its beginning: microseconds since 1970, so that one that begins anew is past
  // all that came before.
  Generation floor() const noexcept { return floor_; }
  std::vector<Record> take_records() { return std::move(records_); }

  // On the disk when it returns; false: it could not be written.
  bool append(const Record& record);

 private:
  bool read();
  void begin();
  // Of several records for one thing the last is enough.
  void compact();

  const std::string path_;
  int fd_ = -1;
  ByteCount end_ = 0;  // of what is whole
  Generation floor_ = 0;
  std::vector<Record> records_;
};

}  // namespace tanggul::cache
