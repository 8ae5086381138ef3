#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "async/task.h"
#include "async/waiter.h"
#include "base/bytes.h"
#include "base/result.h"
#include "ports/origin.h"
#include "tanggul/base/clock.h"
#include "tanggul/http/message.h"

namespace tanggul::ports {

// A run of a body where it lies: in memory, or in a file. Size 0 is the end.
struct BodyPiece {
  std::string_view memory;
  int descriptor = -1;
  ByteCount offset = 0, size = 0;
};

// A body that is still arriving, or lies in a file. Used by one connection, on its thread.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // The next run, valid until the next call. An error means that the body cannot be finished: the
  // connection must be cut so that nobody takes it for whole.
  virtual Task<Result<BodyPiece>> next(const async::WaiterPtr& waiter) = 0;
  // next() never waits: the whole body is there.
  virtual bool ready() const noexcept { return false; }
};

// Where interim responses go while a request waits for its answer. Used by the handler, on the
// connection's thread, before it returns.
class InterimWriter {
 public:
  virtual ~InterimWriter() = default;
  // `heads`: whole, each with its blank line. A client that takes nothing has left.
  virtual Task<void> write_interim(std::string heads) = 0;
};

// What a server knows of a request. Valid until the reply has been sent.
struct Call {
  http::RequestHead head;
  std::string_view client;            // the peer's address, or what a trusted proxy says it is
  std::string_view scheme;            // as the client used it
  std::string_view authority;         // Host, or what a trusted proxy says it was
  std::shared_ptr<RequestBody> body;  // null: none
  InterimWriter* interim = nullptr;   // null: the client takes none
  async::WaiterPtr waiter;            // closed when the client has left: nothing will be written
  MonoTime started;
  std::string key;   // scratch that keeps its memory from request to request
  std::string base;  // likewise
};

// The answer. Reused from request to request, so that a hit allocates nothing.
struct Reply {
  int status = 0;
  std::shared_ptr<const void> owner;   // keeps `head` and `body` alive
  std::string_view head;               // status line and header lines, each with its CRLF
  std::string lines;                   // more of them, of this reply alone
  std::string_view body;               // the whole, when it lies in memory
  std::unique_ptr<BodySource> stream;  // else
  std::optional<ByteCount> length;     // of the stream; absent: chunked. Already in `head`
  bool close = false;                  // end the connection afterwards
  bool head_only = false;              // to HEAD, 204, 304: no body, whatever its length

  // For the log and the metrics.
  std::string_view origin;
  std::string_view result;        // hit stale negative miss coalesced pass error aborted
  const void* account = nullptr;  // the handler's own: whose metrics this counts for
  std::string trace;

  void reset();
};

inline void Reply::reset() {
  status = 0;
  owner.reset();
  head = body = origin = result = {};
  account = nullptr;
  lines.clear();
  trace.clear();
  stream.reset();
  length.reset();
  close = head_only = false;
}

// How the sending of a reply ended.
enum class Sent {
  whole,
  left,  // the client went away before
  cut,   // by us: the body could not be finished
};

// Answers requests. One object a thread; a server calls it on that thread only.
class Handler {
 public:
  virtual ~Handler() = default;
  // Answers at once what needs no waiting; false: call answer().
  virtual bool answer_now(Call& call, Reply& reply) = 0;
  virtual Task<void> answer(Call& call, Reply& reply) = 0;
  // After the last byte, or the last that there will be.
  virtual void finished(const Call& call, const Reply& reply, ByteCount bytes, Sent end) = 0;
};

}  // namespace tanggul::ports
