#include "shield/flight_reader.h"

#include <algorithm>

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
    const cache::Flight::View view = flight_->read_on(this, std::min(at_, readable_));
    if (view.phase == cache::Flight::Phase::failed) co_return view.failure->code;
    readable_ = view.readable;
    if (at_ == end_) co_return ports::BodyPiece{};
    const bool landed = view.phase == cache::Flight::Phase::landed;
    const ByteCount readable = std::min(readable_, held_back_ && !landed ? end_ - 1 : end_);
    if (at_ < readable) {
      const auto run = flight_->spool().at(at_, std::min(kPiece, readable - at_));
      if (run.size == 0) co_return Errc::io;  // too slow: others were not made to wait for it
      lent_ = run.owner;
      at_ += run.size;
      co_return piece_of(run);
    }
    if (landed) co_return ports::BodyPiece{};
    if (!flight_->watch(view, waiter)) continue;
    co_await waiter->wait_until(kForever);
    if (waiter->closed()) co_return Errc::cancelled;
  }
}

Task<Result<ports::BodyPiece>> PiecesReader::next(const async::WaiterPtr&) {
  ports::BodyPiece piece;
  if (current_ == pieces_.size()) co_return piece;
  ports::BodyPiece& left = pieces_[current_];
  piece = left;
  if (left.descriptor >= 0) {
    piece.size = std::min(kPiece, left.size);
    if (!file_->right(piece.offset, piece.size)) co_return Errc::io;  // as below
  }
  left.offset += piece.size;
  left.size -= piece.size;
  if (left.size == 0 || left.descriptor < 0) ++current_;
  co_return piece;
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
