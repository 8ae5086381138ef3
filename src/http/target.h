#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tanggul::http {

// A request target cut at its first question mark. Points into it; nothing is decoded, so that
// %2f and / stay as they were sent.
struct Target {
  std::string_view path, query;
  bool has_query = false;  // "/a?" has one, an empty one
};

Target split_target(std::string_view target);

// The parameters in the order of their names; those of one name keep their order, since it may mean
// something. Every byte of a parameter stays.
std::string sort_query(std::string_view query);

// Without the parameters of these names, compared byte by byte.
std::string drop_query(std::string_view query, const std::vector<std::string>& names);

// "." or "..", each dot escaped or not (RFC 3986 5.2.4).
bool is_dot_segment(std::string_view segment) noexcept;

// Whether the path of a target, were its dot segments resolved, would leave where it starts. We
// send them as they are, but an origin that resolves them must not be led out of what was mounted.
// Backslashes and escaped slashes count as separators, as some servers take them. Linear.
bool climbs_out(std::string_view target);

}  // namespace tanggul::http
