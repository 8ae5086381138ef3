#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tanggul::http {

// A header line that points into somebody else's buffer.
struct HeaderView {
  std::string_view name, value;
};

struct Header {
  std::string name, value;
};

// Header lines in their order, names compared without case. Owns its bytes.
class Headers {
 public:
  Headers() = default;
  explicit Headers(std::vector<Header> lines) : lines_(std::move(lines)) {}

  void add(std::string_view name, std::string_view value);
  void set(std::string_view name, std::string_view value);  // replaces all lines of that name
  void remove(std::string_view name);
  bool has(std::string_view name) const { return find(name).has_value(); }
  std::optional<std::string_view> find(std::string_view name) const;  // the first
  std::string joined(std::string_view name) const;  // all, with ", " (RFC 9110 5.2)

  auto begin() const { return lines_.begin(); }
  auto end() const { return lines_.end(); }
  std::size_t size() const { return lines_.size(); }
  bool empty() const { return lines_.empty(); }

 private:
  std::vector<Header> lines_;
};

// What a client asked for. A view: valid while the connection's buffer is.
struct RequestHead {
  std::string_view method;
  std::string_view target;  // as sent, never decoded; origin-form once the server has routed it
  int minor_version = 1;    // HTTP/1.x
  std::vector<HeaderView> headers;

  std::optional<std::string_view> find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name).has_value(); }
  std::string joined(std::string_view name) const;
};

struct ResponseHead {
  int status = 0;
  std::string reason;
  Headers headers;
};

std::string_view reason_phrase(int status) noexcept;

// Connection, Keep-Alive, TE, Trailer, Transfer-Encoding, Upgrade, Proxy-*: RFC 9110 7.6.1.
bool is_hop_by_hop(std::string_view name) noexcept;
// Removes those, and whatever Connection names.
void strip_hop_by_hop(Headers& headers);

// The comma-separated members of a list header, trimmed, empty ones left out; commas within quoted
// strings do not separate.
std::vector<std::string_view> list_members(std::string_view value);

}  // namespace tanggul::http
