#include "cache/body_window.h"

#include <algorithm>

namespace tanggul::cache {

void BodyWindow::append(std::string_view bytes) {
  const Lock lock(mutex_);
  while (!bytes.empty()) {
    // A piece never moves: its room is taken at once.
    if (pieces_.empty() || pieces_.back()->size() == kPiece) {
      pieces_.push_back(std::make_shared<std::string>());
      pieces_.back()->reserve(kPiece);
    }
    std::string& last = *pieces_.back();
    const std::size_t n = std::min(bytes.size(), kPiece - last.size());
    last.append(bytes.substr(0, n));
    bytes.remove_prefix(n);
    end_ += n;
  }
}

void BodyWindow::release(ByteCount below) {
  const Lock lock(mutex_);
  while (!pieces_.empty() && pieces_.front()->size() == kPiece && first_ + kPiece <= below) {
    pieces_.pop_front();
    first_ += kPiece;
  }
}

BodyWindow::Run BodyWindow::at(ByteCount offset, ByteCount limit) const {
  const Lock lock(mutex_);
  if (offset < first_ || offset >= end_) return {};
  const auto& piece = pieces_[(offset - first_) / kPiece];
  const std::size_t from = (offset - first_) % kPiece;
  return {piece, std::string_view(*piece).substr(from, limit)};
}

ByteCount BodyWindow::first() const {
  const Lock lock(mutex_);
  return first_;
}

ByteCount BodyWindow::held() const {
  const Lock lock(mutex_);
  return end_ - first_;
}

}  // namespace tanggul::cache
