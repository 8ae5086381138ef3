#include "readers/metadata/flow_text.h"

#include "base/utf8.h"
#include "readers/metadata/value.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kMostBytes = 1000;

void append(std::string& out, TreeNode node);

void append_text(std::string& out, std::string_view text) {
  while (!text.empty() && out.size() < kMostBytes) {
    const auto length = std::max<std::size_t>(utf8_length(text), 1);
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
}

void append_list(std::string& out, TreeNode list) {
  out += '[';
  for (std::size_t i = 0; i < list.size() && out.size() < kMostBytes; ++i) {
    if (i > 0) out += ", ";
    append(out, list.at(i));
  }
  out += ']';
}

void append_map(std::string& out, TreeNode map) {
  out += '{';
  bool first = true;
  for (const auto& [key, value] : map.entries()) {
    if (out.size() >= kMostBytes) break;
    if (!first) out += ", ";
    first = false;
    append_text(out, key);
    out += ": ";
    append(out, value);
  }
  out += '}';
}

void append(std::string& out, TreeNode node) {
  if (node.is_null()) {
    out += "null";
  } else if (node.is_list()) {
    append_list(out, node);
  } else if (node.is_map()) {
    append_map(out, node);
  } else {
    append_text(out, node.text());
  }
}

}  // namespace

std::string flow_text(TreeNode node) {
  if (node.is_scalar()) return std::string(node.text());
  std::string out;
  append(out, node);
  if (out.size() < kMostBytes) return node.exists() ? out : std::string();
  while (out.ends_with(']') || out.ends_with('}')) out.pop_back();
  return out + "…";
}

Value value_of(TreeNode node) {
  if (node.is_scalar()) return make_value(node.text(), node.is_plain());
  return {.text = flow_text(node)};
}

}  // namespace tanggul::readers
