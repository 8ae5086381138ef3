#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/result.h"
#include "cache/file.h"
#include "tanggul/base/clock.h"
#include "tanggul/http/message.h"
#include "tanggul/policy/serve.h"

namespace tanggul::cache {

struct FileBody {
  std::shared_ptr<File> file;
  ByteCount size = 0;
  ByteCount offset = 0;  // where in the file it begins
};
using Body = std::variant<SharedBytes, FileBody>;
ByteCount size_of(const Body& body) noexcept;

// One encoding of a response, ready to be sent: status line and header lines up to, but not with,
// the lines that change from hit to hit and the blank line.
struct Form {
  std::string encoding;  // of Content-Encoding; empty: identity
  std::string etag;
  Body body;
  std::string head;
  http::Headers validators;  // ETag, Last-Modified and Date, as a client's conditions meet them
};

// Which part of a representation the body of a 206 is: from byte `first` on.
struct Part {
  ByteCount first = 0;
  ByteCount complete = 0;  // the length of the whole
};

// What is known of a failure that is remembered or shared.
struct Failure {
  Errc code = Errc::internal;
  int status = 502;    // what a client is told
  std::string title;   // a few words, the same for each failure of this sort
  std::string detail;  // what happened this time
  MonoTime retry_at;   // when trying again begins to make sense
  bool from_origin = false;
};

// Counts purges: what began before one, and is covered by it, is outdated. See Purges.
using Generation = std::uint64_t;

// What is noted on a shared entry; a copy begins without. Safe from any thread.
class Mark {
 public:
  Mark() = default;
  Mark(const Mark&) noexcept {}
  Mark& operator=(const Mark&) noexcept { return *this; }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void set(std::uint64_t v) const noexcept { value_.store(v, std::memory_order_relaxed); }

 private:
  mutable std::atomic<std::uint64_t> value_{0};
};

// Something remembered under a key. Never changes once shared; safe to read from any thread.
struct Entry {
  enum class Kind {
    response,  // a response to serve, fresh or stale
    vary,      // the key has variants: `vary` names the request headers that select one
    failure,   // the last fetch failed; serve this instead of trying again
    solo,      // answers to this key may not be shared: do not wait for one another
  };
  Kind kind = Kind::response;
  int status = 0;
  http::Headers headers;  // the origin's end-to-end headers, as needed to revalidate
  std::vector<Form> forms;
  policy::StoredTimes times;
  bool negative = false;                // a remembered 404 or 410
  bool revalidatable = false;           // has an ETag or Last-Modified of the origin
  std::string origin_etag;              // differs from the forms' when the document was rewritten
  std::vector<std::string> vary;        // names, for kind vary and for responses that have it
  std::vector<ArtifactDigest> digests;  // sorted by file: what a document says of its artifacts
  std::optional<Failure> failure;
  std::optional<Part> part;         // of a stored 206; in memory only
  Generation generation = 0;        // in which its fetch began
  std::vector<std::uint64_t> tags;  // see tags_of()
  Mark checked;                     // the generation in which it was last found not outdated
  Mark version;  // of the copy that the nodes of a cluster share of it; 0: not known
  Mark touched;  // the second in which the disk tier was last told that it is used

  const Form& form(bool gzip_accepted) const noexcept;
  const ArtifactDigest* digest_of(std::string_view file) const noexcept;
  // Everything that keeping it costs in memory: bodies that lie there, headers, bookkeeping.
  ByteCount charge(std::string_view key) const noexcept;
  bool in_file() const noexcept;
  // Whether its files, if any, may still be handed out.
  bool current() const noexcept;
};
using EntryPtr = std::shared_ptr<const Entry>;

// Writes Form::head for each form, from status, headers and the body's length.
void encode_heads(Entry& entry);

}  // namespace tanggul::cache
