#include "shield/flight_reader.h"

namespace tanggul::shield {
namespace {

// What one send takes at a time: large enough for sendfile, small enough to be fair.
constexpr ByteCount kPiece = 256_KiB;
constexpr ByteCount kFilePiece = 1_MiB;

ports::BodyPiece piece_of(const cache::Spool::Run& run) {
  return {run.memory, run.descriptor, run.offset, run.size};
}

}  // namespace

Task<Result<ports::BodyPiece>> FlightReader::next(const async::WaiterPtr& waiter) {
  const cache::WatchScope scope(*flight_, waiter);
  for (;;) {
    const cache::Flight::View view = flight_->read_on(this, at_);
    if (view.phase == cache::Flight::Phase::failed) co_return view.failure->code;
    if (at_ < view.readable) {
      const auto run = flight_->spool().at(at_, std::min(kPiece, view.readable - at_));
      if (run.size == 0) co_return Errc::io;  // too slow: others were not made to wait for it
      lent_ = run.owner;
      at_ += run.size;
      co_return piece_of(run);
    }
    if (view.phase == cache::Flight::Phase::landed) co_return ports::BodyPiece{};
    if (!flight_->watch(view, waiter)) continue;
    co_await waiter->wait_until(kForever);
    if (waiter->closed()) co_return Errc::cancelled;
  }
}

Task<Result<ports::BodyPiece>> FileReader::next(const async::WaiterPtr&) {
  ports::BodyPiece piece;
  piece.descriptor = body_.file->descriptor();
  piece.offset = body_.offset + at_;
  piece.size = std::min(kFilePiece, body_.size - at_);
  // Of a large body from disk no more than its beginning was checked when it was looked up.
  if (!body_.file->right(piece.offset, piece.size)) co_return Errc::io;
  at_ += piece.size;
  co_return piece;
}

}  // namespace tanggul::shield
