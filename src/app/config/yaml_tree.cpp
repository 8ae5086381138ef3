#include "app/config/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <unordered_map>

namespace tanggul::app {
namespace {

constexpr std::size_t kDeepest = 32;

Place place_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

// Builds the tree from the parser's events. Throws the parser's own exception at what ends reading.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(YamlTree& tree) : tree_(tree) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(node(YamlNode::Type::null, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw YAML::ParserException(mark, "aliases are not used here; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    YamlNode scalar = node(YamlNode::Type::scalar, mark);
    const bool plain = tag == "?";
    if (plain && (value.empty() || value == "~" || value == "null")) {
      scalar.type = YamlNode::Type::null;
    }
    scalar.text = value;
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Type::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Type::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    bool has_key = false;  // in a map: `key` waits for its value
    YamlEntry key;
    std::unordered_map<std::string, int> lines;  // of the keys seen
  };

  static YamlNode node(YamlNode::Type type, const YAML::Mark& mark) {
    YamlNode made;
    made.type = type;
    made.place = place_of(mark);
    return made;
  }
  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      throw YAML::ParserException(mark, "anchors are not used here; write the value out");
    }
  }
  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw YAML::ParserException(mark, "tags are not used here; write the value without one");
    }
  }
  void open(YamlNode::Type type, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (stack_.size() >= kDeepest) {
      throw YAML::ParserException(mark, fmt::format("nested deeper than {} levels", kDeepest));
    }
    if (!stack_.empty() && is_map(stack_.back()) && !stack_.back().has_key) {
      throw YAML::ParserException(mark, "a key must be a word, not a list or a map");
    }
    stack_.emplace_back().node = node(type, mark);
  }
  void close() {
    YamlNode done = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(done));
  }
  static bool is_map(const Open& at) { return at.node.type == YamlNode::Type::map; }

  void add(YamlNode value) {
    if (stack_.empty()) {
      tree_.root = std::move(value);
    } else if (Open& top = stack_.back(); !is_map(top)) {
      top.node.items.push_back(std::move(value));
    } else if (!top.has_key) {
      top.key.key = std::move(value.text);
      top.key.place = value.place;
      top.has_key = true;
    } else {
      top.has_key = false;
      add_entry(top, std::move(value));
    }
  }
  void add_entry(Open& top, YamlNode value) {
    const auto [seen, is_new] = top.lines.emplace(top.key.key, top.key.place.line);
    if (!is_new) {
      tree_.faults.push_back({top.key.place, fmt::format("{}: is already set on line {}; keep one",
                                                         path(), seen->second)});
      return;
    }
    top.key.value = std::move(value);
    top.node.entries.push_back(std::move(top.key));
    top.key = {};
  }

  // Of the key that the innermost map has just read.
  std::string path() const {
    std::string out;
    for (const Open& open : stack_) {
      if (!is_map(open)) continue;
      if (!out.empty()) out += '.';
      out += open.key.key;
    }
    return out;
  }

  YamlTree& tree_;
  std::vector<Open> stack_;
};

}  // namespace

const YamlEntry* YamlNode::find(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

YamlTree read_yaml(const std::string& text) {
  YamlTree tree;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Builder builder(tree);
    if (!parser.HandleNextDocument(builder)) return tree;
    YamlTree second;
    Builder rest(second);
    if (parser.HandleNextDocument(rest)) {
      tree.faults.push_back({second.root.place, "a second document begins; keep one"});
    }
  } catch (const YAML::Exception& e) {
    tree.faults.push_back({place_of(e.mark), e.msg});
  }
  return tree;
}

}  // namespace tanggul::app
