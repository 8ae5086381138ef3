#include "readers/metadata/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>

#include "readers/metadata/tree_builder.h"

namespace tanggul::readers {
namespace {

namespace json = boost::json;
using json::error_code;
using json::string_view;

// A model of 20,000 classes names each twice: 80,000 values.
constexpr TreeLimits kLimits{.depth = 64, .nodes = 500'000};

class Events {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the parser's names
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;
  // NOLINTEND(readability-identifier-naming)

  TreeBuilder builder{kLimits};
  std::uint32_t line = 1;  // of the bytes being fed

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return builder.open_map(line), true; }
  bool on_object_end(std::size_t, error_code&) { return builder.close(), true; }
  bool on_array_begin(error_code&) { return builder.open_list(line), true; }
  bool on_array_end(std::size_t, error_code&) { return builder.close(), true; }
  bool on_key_part(string_view s, std::size_t, error_code&) { return keep(s); }
  bool on_key(string_view s, std::size_t, error_code&) { return keep(s), scalar(false); }
  bool on_string_part(string_view s, std::size_t, error_code&) { return keep(s); }
  bool on_string(string_view s, std::size_t, error_code&) { return keep(s), scalar(false); }
  bool on_number_part(string_view s, error_code&) { return keep(s); }
  bool on_int64(std::int64_t, string_view s, error_code&) { return keep(s), scalar(true); }
  bool on_uint64(std::uint64_t, string_view s, error_code&) { return keep(s), scalar(true); }
  bool on_double(double, string_view s, error_code&) { return keep(s), scalar(true); }
  bool on_bool(bool b, error_code&) { return text_ = b ? "true" : "false", scalar(true); }
  bool on_null(error_code&) { return builder.null(line), true; }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  bool keep(string_view s) {
    text_.append(s.data(), s.size());
    return true;
  }
  bool scalar(bool plain) {
    builder.scalar(line, text_, plain);
    text_.clear();
    return true;
  }

  std::string text_;
};

json::parse_options options() {
  json::parse_options o;
  o.max_depth = kLimits.depth;
  o.allow_comments = true;
  o.allow_trailing_commas = true;
  o.allow_invalid_utf8 = true;
  return o;
}

// Where the string ends that begins at `at`: behind its closing quote.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

std::size_t length_of_non_number(std::string_view rest) {
  for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
    if (rest.starts_with(word)) return word.size();
  }
  return 0;
}

// Boost.JSON 1.81 has no option for them.
std::string without_non_numbers(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto next = std::min(text.find_first_of("\"NI-", at), text.size());
    out += text.substr(at, next - at);
    at = next;
    if (at == text.size()) break;
    if (text[at] == '"') {
      const auto end = end_of_string(text, at);
      out += text.substr(at, end - at);
      at = end;
    } else if (const auto length = length_of_non_number(text.substr(at)); length != 0) {
      out += "null";
      at += length;
    } else {
      out += text[at++];
    }
  }
  return out;
}

// Fed line by line, since the parser does not say where it is.
error_code feed(json::basic_parser<Events>& parser, std::string_view text) {
  error_code ec;
  while (!text.empty() && !ec) {
    const auto end_of_line = std::min(text.find('\n'), text.size() - 1) + 1;
    // Blank lines with it: the parser wakes as deep as it is nested for each piece.
    const auto end = std::min(text.find_first_not_of(" \t\r\n", end_of_line), text.size());
    const auto line = text.substr(0, end);
    const auto taken = parser.write_some(true, line.data(), line.size(), ec);
    if (taken != line.size() && !ec) ec = json::error::extra_data;
    if (ec) return ec;
    text.remove_prefix(end);
    if (!text.empty())
      parser.handler().line +=
          static_cast<std::uint32_t>(std::count(line.begin(), line.end(), '\n'));
  }
  parser.write_some(false, nullptr, 0, ec);
  return ec;
}

}  // namespace

Document read_json(std::string_view text) {
  Document document;
  document.size = text.size();
  if (text.size() > kMostJson) {
    document.error = "JSON over 2 MiB";
    return document;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  json::basic_parser<Events> parser(options());
  Events& events = parser.handler();
  try {
    const error_code ec = feed(parser, without_non_numbers(text));
    if (ec == json::error::too_deep) {
      document.error = "JSON: nested too deeply";
    } else if (ec) {
      document.defects.push_back({events.line, fmt::format("JSON: {}", ec.message())});
    }
  } catch (const LimitExceeded& e) {
    document.error = fmt::format("JSON: {}", e.what());
  }
  document.tree = events.builder.take();
  return document;
}

}  // namespace tanggul::readers
