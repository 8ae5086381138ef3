#pragma once

#include "cache/flight.h"
#include "ports/handler.h"

namespace tanggul::shield {

// One caller reading a flight's body from byte 0 at its own pace. Counts as a caller until it is
// destroyed; attach() was done for it.
class FlightReader final : public ports::BodySource {
 public:
  explicit FlightReader(cache::FlightPtr flight) : flight_(std::move(flight)) {
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

}  // namespace tanggul::shield
