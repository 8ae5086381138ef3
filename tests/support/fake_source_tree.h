#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "ports/source_tree.h"

namespace tanggul::test {

// A tree in memory, for what reads one. Public members are the script.
class FakeSourceTree final : public ports::SourceTree {
 public:
  std::map<std::string, std::string> files;
  std::map<std::string, ports::Unread> unread;      // found by list(), never read
  std::map<std::string, ports::Unread> unreadable;  // of `files`: fails as it is read
  std::optional<Failure> error;                     // of both calls
  bool more = false;
  std::size_t piece = 64_KiB;  // bytes the sink gets at most at once

  Expected<ports::Listing> list(const std::function<bool(std::string_view path)>& wanted) override {
    if (error) return *error;
    ports::Listing out{.more = more};
    for (const auto& [path, bytes] : files) {
      if (wanted(path)) out.files.push_back({path, bytes.size()});
    }
    for (const auto& [path, why] : unread) {
      if (wanted(path)) out.unread.push_back({path, why});
    }
    return out;
  }

  Expected<ports::Reading> read(const ports::SourceFile& file, ByteCount limit,
                                const std::function<bool(std::string_view piece)>& sink) override {
    if (error) return *error;
    if (const auto why = unreadable.find(file.path); why != unreadable.end()) {
      return ports::Reading{.unread = why->second};
    }
    const auto found = files.find(file.path);
    if (found == files.end()) return ports::Reading{.unread = ports::Unread::absent};
    const std::string_view bytes = std::string_view(found->second).substr(0, limit);
    std::size_t given = 0;
    while (given < bytes.size()) {
      const std::string_view next = bytes.substr(given, piece);
      given += next.size();
      if (!sink(next)) break;
    }
    return ports::Reading{.whole = given == found->second.size()};
  }
};

}  // namespace tanggul::test
