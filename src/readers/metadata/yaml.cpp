#include "readers/metadata/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/bytes.h"
#include "readers/metadata/tree_builder.h"
#include "readers/metadata/yaml_excess.h"

namespace tanggul::readers {
namespace {

constexpr std::size_t kMostParsed = 768 * 1024UL;  // bytes, of all readings of a text
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

// Reads it as far as it can be read. True: a fault of its syntax ended that, the last defect.
bool parse(const std::string& text, std::uint32_t first_line, Document& document) {
  TreeBuilder builder(kLimits);
  Events events(builder, first_line);
  bool faulty = false;
  try {
    // The parser takes a quote that is never closed for closed where a line ends with the text; a
    // remark behind it shows it the fault.
    std::istringstream stream(text + "\n#");
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(events)) look_for_a_second(parser, first_line, document);
  } catch (const LimitExceeded& e) {
    document.error = fmt::format("YAML: {}", e.what());
  } catch (const YAML::DeepRecursion&) {
    document.error = "YAML: nested too deeply";
  } catch (const YAML::Exception& e) {
    faulty = true;
    // Some of the parser's messages repeat the text.
    const auto message = printable(std::string_view(e.msg).substr(0, 120));
    document.defects.push_back({events.line(e.mark), fmt::format("YAML: {}", message)});
  }
  document.tree = builder.take();
  return faulty;
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// Blanks out the entry of a list that a line belongs to, from its "- " to before the next line that
// is indented no deeper. False: it belongs to none.
bool blank_entry(std::string& text, std::size_t line) {
  std::vector<std::size_t> begins = {0};
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) begins.push_back(++at);
  const auto line_at = [&](std::size_t n) {
    const std::size_t end = n + 1 < begins.size() ? begins[n + 1] - 1 : text.size();
    return std::string_view(text).substr(begins[n], end - begins[n]);
  };
  const auto is_entry = [&](std::size_t n) {
    const std::string_view whole = line_at(n);
    return whole.substr(indent_of(whole)).starts_with("- ");
  };
  if (line >= begins.size()) return false;
  std::size_t first = line;
  while (first > 0 && !is_entry(first)) --first;
  if (!is_entry(first)) return false;
  const std::size_t indent = indent_of(line_at(first));
  std::size_t last = first + 1;
  while (last < begins.size() && (indent_of(line_at(last)) > indent || line_at(last).empty()))
    ++last;
  if (last <= line) return false;  // it lies behind the entry
  for (std::size_t at = begins[first]; at < (last < begins.size() ? begins[last] : text.size());
       ++at)
    if (text[at] != '\n') text[at] = ' ';
  return true;
}

}  // namespace

Document read_yaml(std::string_view text, std::uint32_t first_line) {
  Document document;
  document.size = text.size();
  if (text.size() > kMostYaml) {
    document.error = "YAML over 256 KiB";
    return document;
  }
  if (const char* excess = excess_of_tokens(text, kLimits.depth)) {
    document.error = excess;
    return document;
  }
  std::string parsed = without_controls(text.substr(0, worth_parsing(text)), first_line, document);
  // What is wrong with one entry costs that entry: without it the rest is read again, as long as
  // all readings together stay bounded.
  for (std::size_t left = kMostParsed; parse(parsed, first_line, document);) {
    left -= std::min(left, parsed.size());
    if (left < parsed.size() || !blank_entry(parsed, document.defects.back().line - first_line))
      break;
  }
  return document;
}

}  // namespace tanggul::readers
