#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace tanggul {

// Writes one JSON text (RFC 8259), commas and quotes by itself. Strings are made UTF-8; numbers may
// be given as the text they were read as, so that none loses a digit. What is opened must be closed
// by the caller. One thread's.
class JsonWriter {
 public:
  JsonWriter() = default;
  // Gives what is written to `out` in pieces, so that it is never held as a whole; the last of them
  // at flush().
  explicit JsonWriter(std::ostream& out) : stream_(&out) {}
  void flush();

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view text);
  JsonWriter& number(double value);  // null if it is not finite
  JsonWriter& number(std::uint64_t value);
  JsonWriter& number_text(std::string_view digits);  // is a JSON number already
  JsonWriter& json_text(std::string_view json);      // is a JSON text already, of any kind
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  // key(name) and then a value.
  JsonWriter& field(std::string_view name, std::string_view text) { return key(name).string(text); }

  const std::string& text() const { return out_; }

 private:
  JsonWriter& open(char mark);
  JsonWriter& close(char mark);
  JsonWriter& value(std::string_view text);
  void separate();

  std::string out_;
  std::ostream* stream_ = nullptr;
  bool fresh_ = true;  // nothing before that a comma would have to part from what comes
};

}  // namespace tanggul
