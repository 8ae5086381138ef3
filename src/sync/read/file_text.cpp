#include "sync/read/file_text.h"

#include <algorithm>
#include <cstdint>

#include "readers/text/decoder.h"
#include "readers/text/eight_bytes.h"

namespace tanggul::sync {
namespace {

constexpr std::size_t kLooked = 8192;

// git-lfs, docs/spec.md: less than 1024 bytes, the version first.
bool is_lfs_pointer(std::string_view beginning, ByteCount size) {
  return size < 1024 && beginning.starts_with("version https://git-lfs.github.com/spec/v1");
}

// What compressed files, pictures, documents and programs begin with; and UTF-32, which nobody
// uses.
bool has_a_magic_number(std::string_view beginning) {
  constexpr std::string_view kMagic[] = {"\x1f\x8b",
                                         "PK\x03\x04",
                                         "%PDF-",
                                         "\x89PNG",
                                         "\xff\xd8\xff",
                                         "GIF8",
                                         "BZh",
                                         "\xfd"
                                         "7zXZ",
                                         "\x7f"
                                         "ELF",
                                         "\x28\xb5\x2f\xfd"};
  if (beginning.starts_with(std::string_view("\xff\xfe\0\0", 4))) return true;
  return std::any_of(std::begin(kMagic), std::end(kMagic),
                     [beginning](std::string_view magic) { return beginning.starts_with(magic); });
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' &&
         byte != 0x1b;
}

std::size_t controls_in(std::string_view bytes) {
  std::size_t count = 0, at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint64_t eight = readers::eight_bytes(bytes, at);
    if (((eight - readers::kOnes * 0x20) & ~eight & readers::kHighBits) == 0)
      continue;  // none is below a blank
    count += static_cast<std::size_t>(
        std::count_if(bytes.begin() + at, bytes.begin() + at + 8, is_control));
  }
  return count +
         static_cast<std::size_t>(std::count_if(bytes.begin() + at, bytes.end(), is_control));
}

// Too many control characters for any text. In UTF-16 every other byte may be 0.
bool is_binary(std::string_view beginning, readers::Encoding encoding) {
  if (has_a_magic_number(beginning)) return true;
  return encoding == readers::Encoding::utf8 && controls_in(beginning) * 10 > beginning.size();
}

}  // namespace

Expected<FileText> read_text(ports::SourceTree& tree, const ports::SourceFile& file,
                             ByteCount limit) {
  readers::Decoder decoder;
  std::string beginning;
  ByteCount size = 0;
  // UTF-8 by far is the usual: then the text is as long as the file.
  decoder.reserve(static_cast<std::size_t>(std::min<ByteCount>(file.size.value_or(0), limit)) + 1);
  const auto reading = tree.read(file, limit, [&](std::string_view piece) {
    if (beginning.size() < kLooked) beginning += piece.substr(0, kLooked - beginning.size());
    size += piece.size();
    decoder.feed(piece);
    return true;
  });
  if (!reading) return reading.error();
  FileText out;
  if (reading->unread && size == 0) {
    out.unread = reason(*reading->unread);
    return out;
  }
  if (is_lfs_pointer(beginning, size)) {
    out.unread = "a Git LFS pointer: the content is not in the repository";
    return out;
  }
  out.over = !reading->whole && !reading->unread;
  out.text = decoder.finish(out.over);
  out.bytes = decoder.bytes_read();
  if (is_binary(beginning, decoder.encoding())) out = {{}, 0, false, "no text"};
  return out;
}

std::string_view reason(ports::Unread why) {
  switch (why) {
    case ports::Unread::absent:
      return "not there: left out of a partial clone, lost, or gone";
    case ports::Unread::dangling:
      return "a link to a name that is not there";
    case ports::Unread::outside:
      return "a link that leads out of the tree";
    case ports::Unread::loop:
      return "a link that leads in a circle";
    case ports::Unread::not_regular:
      return "not a regular file";
    case ports::Unread::unreadable:
      return "cannot be read";
  }
  return "cannot be read";
}

std::string readable(ByteCount bytes) {
  return bytes % 1_MiB == 0 ? std::to_string(bytes / 1_MiB) + " MiB"
                            : std::to_string(bytes / 1_KiB) + " KiB";
}

}  // namespace tanggul::sync
