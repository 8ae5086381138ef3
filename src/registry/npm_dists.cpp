#include "registry/npm_dists.h"

#include <boost/json/basic_parser_impl.hpp>
#include <optional>

#include "base/bytes.h"

namespace tanggul::registry {
namespace {

namespace json = boost::json;
using json::error_code;
using json::string_view;

// The reader recurses; package.json files nest a dozen deep.
constexpr std::size_t kDeepest = 256;

// Follows one path of member names into the document: `inside_` containers of it are open.
class Events {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  NpmDocument kind = NpmDocument::packument;
  std::vector<NpmDist> dists;
  bool is_object = false;

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) {
    if (depth_ == 0) is_object = true;
    if (depth_ == 0 || next_) {
      ++inside_;
      if (in_dist()) dist_ = {};
    }
    ++depth_;
    leave_member();
    return true;
  }
  bool on_object_end(std::size_t, error_code&) {
    if (depth_ == inside_) {
      if (in_dist()) dists.push_back(std::move(dist_));
      --inside_;
    }
    --depth_;
    return true;
  }
  bool on_array_begin(error_code&) {
    ++depth_;
    leave_member();
    return true;
  }
  bool on_array_end(std::size_t, error_code&) {
    --depth_;
    return true;
  }
  bool on_key_part(string_view s, std::size_t, error_code&) {
    if (depth_ == inside_) key_.append(s.data(), s.size());
    return true;
  }
  bool on_key(string_view s, std::size_t n, error_code& ec) {
    on_key_part(s, n, ec);
    if (depth_ != inside_) return true;
    leave_member();
    if (in_dist()) {
      field_ = field(key_);
      if (field_ != nullptr) field_->clear();
    } else {
      next_ = on_path(key_);
    }
    key_.clear();
    return true;
  }
  bool on_string_part(string_view s, std::size_t, error_code&) {
    if (field_ != nullptr) field_->append(s.data(), s.size());
    return true;
  }
  bool on_string(string_view s, std::size_t n, error_code& ec) {
    on_string_part(s, n, ec);
    return leave_member();
  }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t, string_view, error_code&) { return leave_member(); }
  bool on_uint64(std::uint64_t, string_view, error_code&) { return leave_member(); }
  bool on_double(double, string_view, error_code&) { return leave_member(); }
  bool on_bool(bool, error_code&) { return leave_member(); }
  bool on_null(error_code&) { return leave_member(); }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  bool leave_member() {
    next_ = false;
    field_ = nullptr;
    return true;
  }
  std::size_t path_length() const { return kind == NpmDocument::packument ? 3 : 1; }
  bool in_dist() const { return inside_ == path_length() + 1; }
  bool on_path(std::string_view key) const {
    if (kind == NpmDocument::manifest || inside_ == 3) return key == "dist";
    return inside_ == 2 || key == "versions";
  }
  std::string* field(std::string_view key) {
    if (key == "tarball") return &dist_.tarball;
    if (key == "integrity") return &dist_.integrity;
    if (key == "shasum") return &dist_.shasum;
    return nullptr;
  }

  std::size_t depth_ = 0, inside_ = 0;  // inside_ <= depth_
  bool next_ = false;                   // the member's name is the next one of the path
  std::string* field_ = nullptr;        // where the member's string goes
  std::string key_;
  NpmDist dist_;
};

// The code unit of a \uXXXX at `at`; nullopt if there is none.
std::optional<unsigned> code_unit(std::string_view body, std::size_t at) {
  if (body.substr(at, 2) != "\\u") return std::nullopt;
  const auto bytes = from_hex(body.substr(at + 2, 4));
  if (!bytes || bytes->size() != 2) return std::nullopt;
  return static_cast<unsigned char>((*bytes)[0]) * 256U + static_cast<unsigned char>((*bytes)[1]);
}

bool is_high(std::optional<unsigned> unit) { return unit && *unit >= 0xD800 && *unit < 0xDC00; }
bool is_low(std::optional<unsigned> unit) { return unit && *unit >= 0xDC00 && *unit < 0xE000; }

class Reader {
 public:
  explicit Reader(NpmDocument kind) : parser_(options()) { parser_.handler().kind = kind; }

  // The parser refuses half a surrogate pair: U+FFFD stands in for it.
  bool read(std::string_view body) {
    std::size_t fed = 0, at = body.find('\\');
    while (at != std::string_view::npos) {
      const auto unit = code_unit(body, at);
      std::size_t width = unit ? 6 : 2;
      if (is_high(unit) && is_low(code_unit(body, at + 6))) {
        width = 12;
      } else if (is_high(unit) || is_low(unit)) {
        if (!feed(body.substr(fed, at - fed), true) || !feed("\\ufffd", true)) return false;
        fed = at + width;
      }
      at = body.find('\\', at + width);
    }
    return feed(body.substr(fed), false) && parser_.handler().is_object;
  }
  std::vector<NpmDist> take() { return std::move(parser_.handler().dists); }

 private:
  static json::parse_options options() {
    json::parse_options o;
    o.max_depth = kDeepest;
    o.allow_invalid_utf8 = true;
    return o;
  }
  bool feed(std::string_view bytes, bool more) {
    error_code ec;
    return parser_.write_some(more, bytes.data(), bytes.size(), ec) == bytes.size() && !ec;
  }

  json::basic_parser<Events> parser_;
};

}  // namespace

Result<std::vector<NpmDist>> read_npm_dists(std::string_view body, NpmDocument kind) {
  Reader reader(kind);
  if (!reader.read(body)) return Errc::bad_response;
  return reader.take();
}

}  // namespace tanggul::registry
