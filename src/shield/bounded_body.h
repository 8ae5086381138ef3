#pragma once

#include <memory>

#include "ports/origin.h"

namespace tanggul::shield {

// A request body that ends with Errc::too_large beyond its origin's max_body.
class BoundedBody final : public ports::RequestBody {
 public:
  BoundedBody(std::shared_ptr<ports::RequestBody> body, ByteCount most)
      : body_(std::move(body)), left_(most) {}

  std::optional<ByteCount> length() const override { return body_->length(); }
  bool touched() const override { return body_->touched(); }
  Task<Result<std::size_t>> read_some(char* to, std::size_t size) override {
    auto got = co_await body_->read_some(to, size);
    if (!got) co_return got;
    if (*got > left_) co_return Errc::too_large;
    left_ -= *got;
    co_return got;
  }

 private:
  std::shared_ptr<ports::RequestBody> body_;
  ByteCount left_;
};

}  // namespace tanggul::shield
