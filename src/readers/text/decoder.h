#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tanggul::readers {

enum class Encoding { utf8, utf16_le, utf16_be };

// A text file's bytes, in pieces of any size, become UTF-8 with '\n' alone for line ends ("\r\n"
// and a lone '\r' are such ends too). Linear; holds the text made so far and at most 4 KiB besides.
//
// UTF-16 is told by its byte order mark, or without one by zeros on one side of the first pairs.
// All else is UTF-8, in which a byte that belongs to no character is read as Windows-1252: that is
// what files of mixed and of older make are. A NUL becomes U+FFFD (CommonMark 2.3), so does half a
// surrogate pair. Marks of byte order are dropped. One thread's.
class Decoder {
 public:
  void feed(std::string_view bytes);
  // No more bytes come. `cut`: the file went on, so what stands behind the last line end is
  // dropped; a single line is kept as far as it was read.
  std::string finish(bool cut = false);

  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  Encoding encoding() const { return encoding_; }
  // How many bytes of the file the text of finish() stands for.
  std::uint64_t bytes_read() const { return read_; }

 private:
  void decide();
  void decode(std::string_view bytes);
  void decode_utf8(std::string_view bytes);
  void decode_utf16(std::string_view bytes);
  void put_plain(std::string_view bytes);
  void put(char32_t character, int from);  // of so many bytes

  std::string text_, pending_;  // pending: begins a character, or awaits the choice of encoding
  Encoding encoding_ = Encoding::utf8;
  bool decided_ = false, after_cr_ = false;
  char16_t high_ = 0;  // the first half of a surrogate pair
  std::uint64_t read_ = 0;
  // By how much the text since the last line end is longer than its bytes; counted up to the place.
  std::int64_t longer_ = 0;
  std::size_t counted_to_ = 0;
};

// All of it at once.
std::string decode(std::string_view bytes);

}  // namespace tanggul::readers
