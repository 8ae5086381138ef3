#include "base/json_writer.h"

#include <charconv>
#include <cmath>
#include <ostream>

#include "base/utf8.h"

namespace tanggul {
namespace {

constexpr std::size_t kPiece = 64U * 1024;

}  // namespace

void JsonWriter::separate() {
  if (!fresh_) out_ += ',';
  fresh_ = false;
}

JsonWriter& JsonWriter::open(char mark) {
  separate();
  out_ += mark;
  fresh_ = true;
  return *this;
}

void JsonWriter::flush() {
  if (stream_ != nullptr) *stream_ << out_;
  if (stream_ != nullptr) out_.clear();
}

JsonWriter& JsonWriter::close(char mark) {
  out_ += mark;
  fresh_ = false;
  if (stream_ != nullptr && out_.size() >= kPiece) flush();
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  string(name);
  out_ += ':';
  fresh_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  separate();
  out_ += '"';
  for (const char c : is_utf8(text) ? std::string(text) : to_utf8(std::string(text))) {
    constexpr const char* kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (out_ += '\\') += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (c == '\t') {
      out_ += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      ((out_ += "\\u00") += kHex[byte >> 4]) += kHex[byte & 15];
    } else {
      out_ += c;
    }
  }
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return this->value({digits, static_cast<std::size_t>(end - digits)});
}

JsonWriter& JsonWriter::number(std::uint64_t number) { return value(std::to_string(number)); }
JsonWriter& JsonWriter::number_text(std::string_view digits) { return value(digits); }
JsonWriter& JsonWriter::json_text(std::string_view json) { return value(json); }
JsonWriter& JsonWriter::boolean(bool b) { return value(b ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return value("null"); }

}  // namespace tanggul
