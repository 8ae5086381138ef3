#include "registry/sql/row_json.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/serializer.hpp>

#include "base/base64.h"
#include "base/utf8.h"

namespace tanggul::registry::sql {
namespace {

namespace json = boost::json;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// RFC 8259 6.
bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto digits = [&] {
    const std::size_t n = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(n);
    return n;
  };
  if (text.empty() || !is_digit(text.front())) return false;
  const bool zero = text.front() == '0';
  if (digits() > 1 && zero) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    // No database has longer ones, and readers of JSON refuse them.
    const std::size_t exponent = digits();
    if (exponent == 0 || exponent > 3) return false;
  }
  return text.empty();
}

// Takes whatever is JSON and keeps nothing of it.
struct Ignore {
  static constexpr std::size_t max_object_size = -1, max_array_size = -1, max_key_size = -1,
                               max_string_size = -1;
  using E = boost::system::error_code;
  bool on_document_begin(E&) { return true; }
  bool on_document_end(E&) { return true; }
  bool on_array_begin(E&) { return true; }
  bool on_array_end(std::size_t, E&) { return true; }
  bool on_object_begin(E&) { return true; }
  bool on_object_end(std::size_t, E&) { return true; }
  bool on_string_part(json::string_view, std::size_t, E&) { return true; }
  bool on_string(json::string_view, std::size_t, E&) { return true; }
  bool on_key_part(json::string_view, std::size_t, E&) { return true; }
  bool on_key(json::string_view, std::size_t, E&) { return true; }
  bool on_number_part(json::string_view, E&) { return true; }
  bool on_int64(std::int64_t, json::string_view, E&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, E&) { return true; }
  bool on_double(double, json::string_view, E&) { return true; }
  bool on_bool(bool, E&) { return true; }
  bool on_null(E&) { return true; }
  bool on_comment_part(json::string_view, E&) { return true; }
  bool on_comment(json::string_view, E&) { return true; }
};

bool is_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = 512;
  json::basic_parser<Ignore> parser(options);
  boost::system::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  return !error && parser.done() &&
         text.find_first_not_of(" \t\r\n", read) == std::string_view::npos;
}

}  // namespace

void append_string(std::string_view text, std::string& out) {
  std::string mended;
  if (!is_utf8(text)) text = mended = to_utf8(std::string(text));
  json::serializer writer;
  writer.reset(json::string_view(text.data(), text.size()));
  char buffer[512];
  while (!writer.done()) {
    const json::string_view part = writer.read(buffer, sizeof buffer);
    out.append(part.data(), part.size());
  }
}

void append_number(std::string_view text, std::string& out) {
  if (is_json_number(text)) {
    out += text;
  } else {
    append_string(text, out);
  }
}

void append_base64(std::string_view bytes, std::string& out) {
  out.append("\"").append(to_base64(bytes)).append("\"");
}

void append_timestamp(std::string_view text, std::string& out) {
  const auto digit = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
  // Years of other than four digits, BC and infinity have no form in RFC 3339.
  const bool usual = text.size() >= 19 && digit(3) && text[4] == '-' && text[10] == ' ' &&
                     digit(18) && !text.ends_with("BC");
  if (!usual) return append_string(text, out);
  std::string made(text);
  made[10] = 'T';
  const std::size_t zone = made.find_first_of("+-", 19);
  if (zone != std::string::npos) {
    if (made.size() == zone + 3) made += ":00";  // a zone of hours only
    if (made.substr(zone) == "+00:00") made.replace(zone, std::string::npos, "Z");
  }
  append_string(made, out);
}

void append_json(std::string_view text, std::string& out) {
  if (is_json(text)) {
    out += text;
  } else {
    append_string(text, out);
  }
}

RowsJson::RowsJson(std::vector<std::string> columns, bool many) : many_(many) {
  names_.reserve(columns.size());
  for (const std::string& column : columns) {
    append_string(column, names_.emplace_back());
    names_.back() += ':';
  }
}

bool RowsJson::begin_row() {
  ++rows_;
  if (!many_ && rows_ > 1) return false;
  if (many_) out_ += rows_ == 1 ? "[" : ",\n";
  column_ = 0;
  out_ += '{';
  return true;
}

std::string& RowsJson::value() {
  if (column_ > 0) out_ += ',';
  return out_.append(names_[column_++]);
}

void RowsJson::end_row() { out_ += '}'; }

std::string RowsJson::finish() {
  if (many_) out_ += rows_ == 0 ? "[]" : "]";
  out_ += '\n';
  return std::move(out_);
}

std::string twice(const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (std::find(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(i), columns[i]) !=
        columns.begin() + static_cast<std::ptrdiff_t>(i))
      return columns[i];
  return {};
}

}  // namespace tanggul::registry::sql
