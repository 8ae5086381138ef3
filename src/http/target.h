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

}  // namespace tanggul::http
