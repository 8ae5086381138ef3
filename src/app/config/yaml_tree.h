#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tanggul::app {

struct Place {
  int line = 1, column = 1;
};

struct Fault {
  Place place;
  std::string text;
};

struct YamlEntry;

// A YAML document as written, each node with its place. Nothing is interpreted: every scalar is its
// text.
struct YamlNode {
  enum class Type { null, scalar, list, map };
  Type type = Type::null;
  Place place;
  std::string text;
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // in the file's order, each key once

  const YamlEntry* find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  Place place;
  YamlNode value;
};

struct YamlTree {
  YamlNode root;
  std::vector<Fault> faults;  // any: the root holds what could be read, which may be nothing
};

// Reads one document, and with it any JSON text. Bounded: anchors, aliases and tags are refused, so
// that a file is never larger than its bytes, and so is nesting deeper than 32.
YamlTree read_yaml(const std::string& text);

}  // namespace tanggul::app
