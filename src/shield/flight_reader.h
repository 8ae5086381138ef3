#pragma once

#include <limits>
#include <vector>

#include "cache/flight.h"
#include "http/range.h"
#include "ports/handler.h"

namespace tanggul::shield {

// One caller reading a flight's body at its own pace: the whole from byte 0, or a range of it.
// Counts as a caller until it is destroyed; attach() was done for it.
class FlightReader final : public ports::BodySource {
 public:
  explicit FlightReader(cache::FlightPtr flight) : flight_(std::move(flight)) {
    flight_->begin_reading(this);
  }
  // `held_back`: the range's last byte waits for the end of the flight, where the body is verified:
  // nobody may take a range of a corrupt body for whole.
  FlightReader(cache::FlightPtr flight, const http::ByteRange& range, bool held_back)
      : flight_(std::move(flight)), at_(range.first), end_(range.end()), held_back_(held_back) {
    flight_->begin_reading(this);
  }
  ~FlightReader() override {
    flight_->end_reading(this);
    flight_->detach();
  }
  FlightReader(const FlightReader&) = delete;
  FlightReader& operator=(const FlightReader&) = delete;

  Task<Result<ports::BodyPiece>> next(const async::WaiterPtr& waiter) override;

 private:
  cache::FlightPtr flight_;
  ByteCount at_ = 0;
  const ByteCount end_ = std::numeric_limits<ByteCount>::max();
  const bool held_back_ = false;
  ByteCount readable_ = 0;            // when last looked at: a range may begin further on
  std::shared_ptr<const void> lent_;  // the memory of the last piece
};

// A stored body that lies in a file.
class FileReader final : public ports::BodySource {
 public:
  explicit FileReader(cache::FileBody body) : body_(std::move(body)) {}
  Task<Result<ports::BodyPiece>> next(const async::WaiterPtr& waiter) override;
  bool ready() const noexcept override { return true; }

 private:
  cache::FileBody body_;
  ByteCount at_ = 0;
};

// Runs of what is stored, one after the other: of memory, which the reply's owner keeps alive, and
// of `file`, if there is one.
class PiecesReader final : public ports::BodySource {
 public:
  PiecesReader(std::vector<ports::BodyPiece> pieces, std::shared_ptr<cache::File> file)
      : pieces_(std::move(pieces)), file_(std::move(file)) {}
  Task<Result<ports::BodyPiece>> next(const async::WaiterPtr& waiter) override;

 private:
  std::vector<ports::BodyPiece> pieces_;
  const std::shared_ptr<cache::File> file_;
  std::size_t current_ = 0;
};

}  // namespace tanggul::shield
