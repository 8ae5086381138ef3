#include "readers/metadata/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "base/bytes.h"
#include "readers/metadata/tree_builder.h"
#include "readers/metadata/yaml_excess.h"

namespace tanggul::readers {
namespace {

constexpr TreeLimits kLimits{.depth = 64, .nodes = 200'000, .aliases = 100};

class Events final : public YAML::EventHandler {
 public:
  Events(TreeBuilder& builder, std::uint32_t first_line)
      : builder_(builder), first_line_(first_line) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    builder_.null(line(mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    builder_.alias(line(mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    builder_.scalar(line(mark), value, tag == "?", anchor);  // "?": neither quoted nor tagged
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    builder_.open_list(line(mark), anchor);
  }
  void OnSequenceEnd() override { builder_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    builder_.open_map(line(mark), anchor);
  }
  void OnMapEnd() override { builder_.close(); }

  std::uint32_t line(const YAML::Mark& mark) const {
    return first_line_ + static_cast<std::uint32_t>(std::max(mark.line, 0));
  }

 private:
  TreeBuilder& builder_;
  std::uint32_t first_line_;
};

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

// YAML has no control characters. The parser would take U+0004 for the end of the text, and NUL for
// a sign of UTF-16.
std::string without_controls(std::string_view text, std::uint32_t first_line, Document& document) {
  std::string out(text);
  const auto first = std::find_if(out.begin(), out.end(), is_control);
  if (first == out.end()) return out;
  const auto lines = static_cast<std::uint32_t>(std::count(out.begin(), first, '\n'));
  document.defects.push_back({first_line + lines, "a control character; read as '?'"});
  std::replace_if(first, out.end(), is_control, '?');
  return out;
}

void look_for_a_second(YAML::Parser& parser, std::uint32_t first_line, Document& document) {
  TreeBuilder second({.depth = 1, .nodes = 2});
  Events events(second, first_line);
  bool has_content = false;
  try {
    parser.HandleNextDocument(events);
  } catch (const LimitExceeded&) {
    has_content = true;
  }
  const Tree tree = second.take();
  const TreeNode root = tree.root();
  has_content = has_content || (root.exists() && !root.is_null());
  if (has_content) {
    document.defects.push_back({root.line(), "a further document begins; only the first is read"});
  }
}

}  // namespace

Document read_yaml(std::string_view text, std::uint32_t first_line) {
  Document document;
  if (text.size() > kMostYaml) {
    document.error = "YAML over 256 KiB";
    return document;
  }
  if (const char* excess = excess_of_tokens(text, kLimits.depth)) {
    document.error = excess;
    return document;
  }
  text = text.substr(0, worth_parsing(text));
  TreeBuilder builder(kLimits);
  Events events(builder, first_line);
  try {
    // The parser takes a quote that is never closed for closed where a line ends with the text; a
    // remark behind it shows it the fault.
    std::istringstream stream(without_controls(text, first_line, document) + "\n#");
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(events)) look_for_a_second(parser, first_line, document);
  } catch (const LimitExceeded& e) {
    document.error = fmt::format("YAML: {}", e.what());
  } catch (const YAML::DeepRecursion&) {
    document.error = "YAML: nested too deeply";
  } catch (const YAML::Exception& e) {
    // Some of the parser's messages repeat the text.
    const auto message = printable(std::string_view(e.msg).substr(0, 120));
    document.defects.push_back({events.line(e.mark), fmt::format("YAML: {}", message)});
  }
  document.tree = builder.take();
  return document;
}

}  // namespace tanggul::readers
