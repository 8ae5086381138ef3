#include "cache/spool.h"

#include <algorithm>
#include <cstring>

namespace tanggul::cache {

Spool::Spool(std::string directory, std::optional<ByteCount> expected)
    : directory_(std::move(directory)), chunk_size_(kChunk) {
  if (expected && *expected > 0 && *expected <= kMemory)
    chunk_size_ = static_cast<std::size_t>(*expected);
}

Result<void> Spool::append(std::string_view bytes) {
  ByteCount size = size_.load(std::memory_order_relaxed);
  while (!bytes.empty() && !file_ && !window()) {
    const std::size_t chunk = size / chunk_size_, used = size % chunk_size_;
    if (!in_memory(chunk)) {
      if (const auto done = spill(); !done) return done.error();
      break;
    }
    if (!chunks_[chunk]) chunks_[chunk].reset(new char[chunk_size_]);
    const std::size_t n = std::min(bytes.size(), chunk_size_ - used);
    std::memcpy(chunks_[chunk].get() + used, bytes.data(), n);
    bytes.remove_prefix(n);
    size += n;
    size_.store(size, std::memory_order_release);
  }
  if (bytes.empty()) return {};
  if (BodyWindow* open = window()) {
    open->append(bytes);
  } else if (const auto done = file_->write_at(size, bytes); !done) {
    return done.error();
  }
  size_.store(size + bytes.size(), std::memory_order_release);
  return {};
}

void Spool::open_window() {
  if (owned_window_) return;
  owned_window_ = std::make_unique<BodyWindow>(size_.load(std::memory_order_relaxed));
  window_.store(owned_window_.get(), std::memory_order_release);
}

Result<void> Spool::spill() {
  auto made = File::create(directory_);
  if (!made) return made.error();
  // Memory is left only at the end of its last chunk, so all of them are full.
  for (std::size_t chunk = 0; in_memory(chunk); ++chunk)
    if (const auto done = (*made)->append({chunks_[chunk].get(), chunk_size_}); !done)
      return done.error();
  file_ = std::move(*made);
  return {};
}

Spool::Run Spool::at(ByteCount offset, ByteCount limit) const {
  const ByteCount end = size_.load(std::memory_order_acquire);
  const std::size_t chunk = offset / chunk_size_;
  Run run;
  if (in_memory(chunk)) {
    const ByteCount chunk_end = std::min<ByteCount>((chunk + 1) * chunk_size_, end);
    run.size = std::min(limit, chunk_end - offset);
    run.memory = {chunks_[chunk].get() + offset % chunk_size_, run.size};
    return run;
  }
  const BodyWindow* open = window();
  if (open != nullptr && offset >= open->begin()) {
    BodyWindow::Run held = open->at(offset, std::min(limit, end - offset));
    run.memory = held.bytes;
    run.size = held.bytes.size();
    run.owner = std::move(held.owner);
    return run;
  }
  run.descriptor = file_->descriptor();
  run.offset = offset;
  run.size = std::min(limit, (open != nullptr ? open->begin() : end) - offset);
  return run;
}

Result<std::string> Spool::bytes() const {
  const ByteCount end = size();
  if (!whole()) return Errc::io;
  std::string out;
  if (file_) {
    auto filed = file_->read(0, window() ? window()->begin() : end);
    if (!filed || !window()) return filed;
    out = std::move(*filed);
  }
  out.reserve(end);
  while (out.size() < end) out += at(out.size(), end).memory;
  return out;
}

}  // namespace tanggul::cache
