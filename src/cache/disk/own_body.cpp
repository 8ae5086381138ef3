#include "cache/disk/own_body.h"

#include <algorithm>
#include <memory>

namespace tanggul::cache {
namespace {

constexpr ByteCount kPiece = 1_MiB;

bool each_piece(const File& file, ByteCount offset, ByteCount length,
                const std::function<bool(std::string_view piece)>& take) {
  const std::unique_ptr<char[]> piece(new char[std::min(kPiece, length)]);
  for (const ByteCount end = offset + length; offset < end;) {
    const auto size = static_cast<std::size_t>(std::min(kPiece, end - offset));
    if (!file.read(offset, piece.get(), size) || !take({piece.get(), size})) return false;
    offset += size;
  }
  return true;
}

}  // namespace

bool each_piece(const Body& body, const std::function<bool(std::string_view piece)>& take) {
  if (const auto* file = std::get_if<FileBody>(&body))
    return each_piece(*file->file, file->offset, file->size, take);
  const auto& bytes = std::get<SharedBytes>(body);
  return bytes == nullptr || take(*bytes);
}

std::string digest_of(const File& file, ByteCount offset, ByteCount length) {
  Digest digest(DigestKind::sha256);
  const bool read = each_piece(file, offset, length, [&](std::string_view piece) {
    digest.update(piece);
    return true;
  });
  return read ? digest.finish() : std::string();
}

}  // namespace tanggul::cache
