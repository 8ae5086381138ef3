#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "adapters/beast/access_log.h"
#include "adapters/beast/connection.h"
#include "adapters/beast/request_reader.h"
#include "adapters/beast/server.h"
#include "async/task.h"
#include "ports/handler.h"

namespace tanggul::beast {

// One client's connection: reads requests, asks the handler, writes replies, in turn. It lives as
// long as its coroutine. Time is kept from outside: the server's sweep calls expire() when
// deadline() has passed, so that no request costs a timer of its own.
class Session final : public std::enable_shared_from_this<Session>,
                      private ports::RequestBody,
                      private ports::InterimWriter {
 public:
  // `tls` null: plain.
  Session(Socket socket, const TlsContext* tls, std::shared_ptr<const ServerConfig> config,
          ports::Handler& handler, AccessLog* log);
  ~Session() override;

  Task<void> run();

  MonoTime deadline() const noexcept { return deadline_; }
  void expire();
  // At each sweep: whether the client has left although nobody has read its request's body yet.
  void look_for_end();
  // Shut-down: an idle connection is closed, a busy one after its request.
  void drain();
  void close();

 private:
  static constexpr std::size_t kFirstBuffer = 1024;  // most heads fit
  static constexpr std::size_t kKeptBuffer = 16_KiB;
  static constexpr Duration kGraceForTheNew = 500ms;  // at shut-down

  enum class Phase { handshake, idle, head, body, answering, writing, lingering };
  enum class Read { more, request, closed, bad, timed_out };
  enum class Begun { answered, waits, bad };

  Task<bool> shake_hands();  // false: end the connection
  Read begin_head();
  Read look_at_head();
  Task<Read> read_head();
  void begin_answer();
  bool answer_at_once();  // false: answer() goes on with it
  Task<bool> answer();    // false: end the connection
  bool end_answer(bool whole);
  std::array<std::string_view, 3> in_memory_parts() const;
  ByteCount size_in_memory() const;
  bool write_at_once();  // false: the connection is broken
  Task<bool> write_reply();
  Task<bool> write_stream();
  Task<bool> write_piece(const ports::BodyPiece& piece, bool chunked);
  Task<bool> send_file(const ports::BodyPiece& piece);
  Task<bool> write_records(std::span<const ports::BodyPiece> pieces);
  Task<bool> write_all(std::string_view bytes);
  Task<void> linger();
  Task<void> refuse(int status);
  Task<void> refuse(int status, std::string answer);
  void take_buffer(std::size_t size);
  void give_buffer_back();
  void make_room();
  Task<bool> fill();  // one read into the buffer; false: end of file or error
  bool took(const boost::system::error_code& error, std::size_t n);
  bool prepare_call();
  void complete_head();
  bool route_target();
  void set_peer();

  // Notices a client that leaves while it waits for its answer.
  void watch();
  void unwatch();
  bool look_ahead();

  // ports::RequestBody
  std::optional<ByteCount> length() const override { return reader_.body_length(); }
  Task<Result<std::size_t>> read_some(char* to, std::size_t size) override;
  bool touched() const override { return body_touched_; }
  Task<Result<std::size_t>> read_body(char* to, std::size_t size);

  // ports::InterimWriter
  Task<void> write_interim(std::string heads) override;

  std::string_view pending() const {
    return std::string_view(buffer_.get() + begin_, end_ - begin_);
  }
  void move_deadline(Duration d) { deadline_ = MonoClock::now() + d; }

  Connection connection_;
  const std::shared_ptr<const ServerConfig> kept_config_;
  const ServerConfig& config_;
  ports::Handler& handler_;
  AccessLog* const log_;
  RequestReader reader_;
  std::string peer_;
  std::string peer_forwarded_;      // behind a trusted proxy
  std::string absolute_target_;     // scratch for an absolute-form target without a path
  std::unique_ptr<char[]> buffer_;  // what has come and is not yet parsed: [begin_, end_)
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0;
  ports::Call call_;
  ports::Reply reply_;
  Phase phase_ = Phase::idle;
  Begun begun_ = Begun::bad;
  MonoTime now_{};  // when something last came, or was last waited for
  MonoTime deadline_ = kForever;
  ByteCount sent_ = 0;
  std::uint64_t watch_ = 0;  // which watch is on; a late wake-up of an older one means nothing
  bool watching_ = false;
  bool timed_out_ = false;
  bool broken_off_ = false;  // the last read was cancelled on our side
  bool draining_ = false;
  bool served_ = false;  // a request at least
  bool usable_ = true;   // for another request
  bool silent_ = false;  // whatever the client sends next is told to the next read
  bool cut_ = false;     // the body broke off on our side
  bool body_touched_ = false;
  bool body_reading_ = false;  // a fetch waits in read_some()
  int body_failed_ = 0;        // what to answer when the body's framing was broken
};

}  // namespace tanggul::beast
