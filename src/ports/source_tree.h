#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/failure.h"

namespace tanggul::ports {

struct SourceFile {
  std::string path;               // in the tree, '/' between its names; bytes, of no known encoding
  std::optional<ByteCount> size;  // nullopt: unknown
};

// Why a file that was wanted cannot be had. The others can.
enum class Unread {
  absent,       // its bytes are not there: left out of a partial clone, lost, or gone by now
  dangling,     // a link to a name that the tree does not have
  outside,      // a link that leads out of the tree
  loop,         // a link that leads on more than kLinkHops times
  not_regular,  // a folder behind a link, a pipe, a socket, a device, a submodule
  unreadable,   // no permission, or damaged
};

std::string_view name(Unread why) noexcept;  // "not_regular"

struct UnreadFile {
  std::string path;  // or that of a folder that could not be looked into
  Unread why;
};

struct Listing {
  std::vector<SourceFile> files;  // by path, as bytes
  std::vector<UnreadFile> unread;
  bool more = false;  // there is more than was looked at: a bound on names, depth or bytes was hit
  std::string part_lost;  // why a part of the tree is not listed; empty: it is
};

struct Reading {
  bool whole = false;            // the sink has had the last byte
  std::optional<Unread> unread;  // then what the sink has had is no more than a beginning
};

// The files of a project, wherever they lie. Who made them is not trusted: nothing of a tree is
// run, nothing outside it is opened, and what it can cost is bounded. Calls block. One thread at a
// time. What cannot be read as a whole fails with stalled (no answer in time) or io (anything
// else).
class SourceTree {
 public:
  virtual ~SourceTree() = default;

  // Asks `wanted` about the path of each file and symbolic link (not folders, not submodules) in no
  // order, and gives those that were wanted. A link is followed by resolved_in_tree() and keeps its
  // own path.
  virtual Expected<Listing> list(const std::function<bool(std::string_view path)>& wanted) = 0;

  // Gives the first `limit` bytes of a file of the latest listing, in pieces, until the sink
  // returns false.
  virtual Expected<Reading> read(const SourceFile& file, ByteCount limit,
                                 const std::function<bool(std::string_view piece)>& sink) = 0;
};

}  // namespace tanggul::ports
