#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/git/objects.h"
#include "adapters/git/run.h"
#include "adapters/git/tree_records.h"
#include "ports/source_tree.h"
#include "ports/tree_links.h"

namespace tanggul::git {

struct Entry {
  std::string path, id;
  bool link = false;
};

struct EntryBounds {
  std::size_t names;
  ByteCount name_bytes;
};

// The files and links of a commit's tree.
class Entries {
 public:
  static Expected<Entries> of(const Repository& repository, const std::string& commit,
                              EntryBounds bounds);

  const std::vector<Entry>& all() const noexcept { return all_; }  // by path, each path once
  bool more() const noexcept { return more_; }
  // Why git ended before it had shown all, if it did: a folder is lost or damaged.
  const std::string& lost() const noexcept { return lost_; }

  // The file that an entry is or, as a link, leads to.
  struct Behind {
    std::string id;
    std::optional<ports::Unread> unread{};
  };
  Expected<Behind> behind(const Entry& entry, Objects& objects) const;

 private:
  // Gives what git complained of as it failed; empty: it did not.
  Expected<std::string> add(const Repository& repository, std::vector<std::string> args,
                            EntryBounds bounds);
  const Entry* find(std::string_view path) const;
  bool is_folder(const std::string& path) const;
  void sort();

  std::vector<Entry> all_;
  bool more_ = false;
  std::string lost_;
};

}  // namespace tanggul::git
