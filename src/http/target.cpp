#include "http/target.h"

#include "base/bytes.h"

#include <algorithm>

namespace tanggul::http {
namespace {

std::vector<std::string_view> parameters(std::string_view query) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto end = query.find('&');
    out.push_back(query.substr(0, end));
    if (end == std::string_view::npos) return out;
    query.remove_prefix(end + 1);
  }
}

std::string_view name_of(std::string_view parameter) {
  return parameter.substr(0, parameter.find('='));
}

std::string join(const std::vector<std::string_view>& parameters) {
  std::string out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i != 0) out += '&';
    out += parameters[i];
  }
  return out;
}

}  // namespace

Target split_target(std::string_view target) {
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return {target, {}, false};
  return {target.substr(0, mark), target.substr(mark + 1), true};
}

std::string sort_query(std::string_view query) {
  auto all = parameters(query);
  // All point into one text, so their addresses are their order.
  std::sort(all.begin(), all.end(), [](std::string_view a, std::string_view b) {
    const int order = name_of(a).compare(name_of(b));
    return order != 0 ? order < 0 : a.data() < b.data();
  });
  return join(all);
}

std::string drop_query(std::string_view query, const std::vector<std::string>& names) {
  auto all = parameters(query);
  std::erase_if(all, [&](std::string_view parameter) {
    return std::find(names.begin(), names.end(), name_of(parameter)) != names.end();
  });
  return join(all);
}

bool is_dot_segment(std::string_view segment) noexcept {
  int dots = 0;
  while (!segment.empty()) {
    const bool escaped = iequals(segment.substr(0, 3), "%2e");
    if (!escaped && segment.front() != '.') return false;
    segment.remove_prefix(escaped ? 3 : 1);
    ++dots;
  }
  return dots == 1 || dots == 2;
}

bool climbs_out(std::string_view target) {
  std::string_view left = target.substr(0, target.find('?'));
  int depth = 0;
  while (!left.empty()) {
    std::size_t end = 0, width = 0;  // of the segment, and of the separator behind it
    for (; end < left.size() && width == 0; end += width == 0 ? 1 : 0) {
      const std::string_view here = left.substr(end, 3);
      if (here.front() == '/' || here.front() == '\\') width = 1;
      if (iequals(here, "%2f") || iequals(here, "%5c")) width = 3;
    }
    const std::string_view segment = left.substr(0, end);
    if (!is_dot_segment(segment)) {
      depth += segment.empty() ? 0 : 1;
    } else if (segment.size() != 1 && !iequals(segment, "%2e") && --depth < 0) {
      return true;  // two dots with nothing left to leave
    }
    left.remove_prefix(std::min(end + width, left.size()));
  }
  return false;
}

}  // namespace tanggul::http
