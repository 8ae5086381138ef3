#include "http/target.h"

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

}  // namespace tanggul::http
