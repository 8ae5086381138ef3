#include "app/config/section.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tuple>

#include "app/config/url.h"

namespace tanggul::app {
namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

std::string_view noun(YamlNode::Type type) {
  switch (type) {
    case YamlNode::Type::null:
      return "nothing";
    case YamlNode::Type::scalar:
      return "a word";
    case YamlNode::Type::list:
      return "a list";
    case YamlNode::Type::map:
      return "a map";
  }
  return "";
}

}  // namespace

std::vector<std::string> Report::lines(std::vector<Fault> faults) const {
  std::sort(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.place.line, a.place.column, a.text) <
           std::tie(b.place.line, b.place.column, b.text);
  });
  std::vector<std::string> out;
  out.reserve(faults.size());
  for (const auto& [place, text] : faults) {
    out.push_back(fmt::format("{}:{}:{}: {}", file, place.line, place.column, text));
  }
  return out;
}

std::string_view nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(2, word.size() / 3) + 1;
  if (word.size() > 64) return best;
  for (const std::string& candidate : known) {
    const bool starts = word.size() > 2 && candidate.starts_with(word);
    const std::size_t n = starts ? 1 : edits(word, candidate);
    if (n < fewest) fewest = n, best = candidate;
  }
  return best;
}

Section::Section(Report& report, const YamlNode* node, Place place, std::string path)
    : report_(report), node_(node), place_(place), path_(std::move(path)) {
  if (node_ == nullptr || node_->type == YamlNode::Type::map) return;
  if (node_->type != YamlNode::Type::null) {
    refused_ = true;
    const std::string_view what = path_.empty() ? "the file" : std::string_view(path_);
    report_.errors.push_back(
        {place_, fmt::format("{}: is {}; write a map of keys", what, noun(node_->type))});
  }
  node_ = nullptr;
}

std::string Section::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

Place Section::place_of(std::string_view key) const {
  const YamlEntry* entry = node_ == nullptr ? nullptr : node_->find(key);
  return entry == nullptr ? place_ : entry->place;
}

const YamlEntry* Section::ask(std::string_view key) {
  know(key);
  return node_ == nullptr ? nullptr : node_->find(key);
}

void Section::error(std::string_view key, std::string_view what) {
  report_.errors.push_back({place_of(key), fmt::format("{}: {}", path_of(key), what)});
}

void Section::warn(std::string_view key, std::string_view what) {
  report_.warnings.push_back({place_of(key), fmt::format("{}: {}", path_of(key), what)});
}

void Section::wrong(std::string_view key, std::string_view what) {
  const YamlEntry* entry = node_ == nullptr ? nullptr : node_->find(key);
  const std::string_view written = entry == nullptr ? "" : std::string_view(entry->value.text);
  error(key, fmt::format("\"{}\" {}", mask_userinfo(printable(written.substr(0, 200))), what));
}

std::optional<std::string> Section::expanded(const YamlNode& node, Place place,
                                             const std::string& path) {
  Expanded out = expand(node.text, report_.environment);
  if (out.open) {
    report_.errors.push_back({place, fmt::format("{}: a ${{ has no }}; write ${{NAME}}", path)});
    return std::nullopt;
  }
  if (!out.unset.empty()) {
    report_.errors.push_back(
        {place, fmt::format("{}: the environment variable {} is not set; set it, or write the "
                            "value out",
                            path, out.unset)});
    return std::nullopt;
  }
  return std::move(out.text);
}

std::optional<std::string> Section::text(std::string_view key) {
  const YamlEntry* entry = ask(key);
  if (entry == nullptr) return std::nullopt;
  if (entry->value.type == YamlNode::Type::null) {
    error(key, "has no value; write one, or leave the key out");
    return std::nullopt;
  }
  if (entry->value.type != YamlNode::Type::scalar) {
    error(key, fmt::format("is {}; write one value", noun(entry->value.type)));
    return std::nullopt;
  }
  return expanded(entry->value, entry->place, path_of(key));
}

void Section::duration(std::string_view key, Duration& out, Duration least) {
  const auto got = text(key);
  if (!got) return;
  const Read<Duration> read = read_duration(*got, out);
  const bool zero = parse_decimal(*got) == 0U;  // no unit would make it right
  if (!read.value && !(zero && least > Duration::zero())) return wrong(key, read.wrong);
  if (read.value.value_or(Duration::zero()) < least) {
    return wrong(key, fmt::format("is too short; the least is {}", write_duration(least)));
  }
  out = *read.value;
}

void Section::size(std::string_view key, ByteCount& out, ByteCount least) {
  const auto got = text(key);
  if (!got) return;
  const Read<ByteCount> read = read_size(*got, out);
  const bool zero = parse_decimal(*got) == 0U;
  if (!read.value && !(zero && least > 0)) return wrong(key, read.wrong);
  if (read.value.value_or(0) < least) {
    return wrong(key, fmt::format("is too small; the least is {}", write_size(least)));
  }
  out = *read.value;
}

void Section::byte_rate(std::string_view key, ByteCount& out) {
  const auto got = text(key);
  if (!got) return;
  const Read<ByteCount> read = read_byte_rate(*got, out);
  if (!read.value) return wrong(key, read.wrong);
  out = *read.value;
}

void Section::rate(std::string_view key, Rate& out) {
  const auto got = text(key);
  if (!got) return;
  Read<Rate> read = read_rate(*got);
  if (!read.value) return wrong(key, read.wrong);
  if (read.value->per_second <= 0) {
    return wrong(key, "would let nothing through; leave the key out for no limit");
  }
  out = std::move(*read.value);
}

void Section::number(std::string_view key, double& out, double least, double most) {
  const auto got = text(key);
  if (!got) return;
  double value = 0;
  const char* end = got->data() + got->size();
  const auto [stop, ec] = std::from_chars(got->data(), end, value, std::chars_format::fixed);
  if (ec != std::errc() || stop != end || !(value >= least && value <= most)) {
    return wrong(key, fmt::format("is no number from {} to {}", least, most));
  }
  out = value;
}

void Section::boolean(std::string_view key, bool& out) {
  choice<bool>(key, out, {{"true", true}, {"false", false}});
}

bool Section::string(std::string_view key, std::string& out) {
  auto got = text(key);
  if (!got) return false;
  if (got->empty()) {
    error(key, "is empty; write a value, or leave the key out");
    return false;
  }
  out = std::move(*got);
  return true;
}

std::vector<std::string> Section::strings(std::string_view key) {
  const YamlEntry* entry = ask(key);
  std::vector<std::string> out;
  if (entry == nullptr) return out;
  if (entry->value.type != YamlNode::Type::list) {
    std::string one;
    if (string(key, one)) out.push_back(std::move(one));
    return out;
  }
  for (std::size_t i = 0; i < entry->value.items.size(); ++i) {
    const YamlNode& item = entry->value.items[i];
    const std::string path = fmt::format("{}[{}]", path_of(key), i);
    if (item.type != YamlNode::Type::scalar || item.text.empty()) {
      report_.errors.push_back(
          {item.place, fmt::format("{}: is {}; write one value", path, noun(item.type))});
    } else if (auto text = expanded(item, item.place, path)) {
      out.push_back(std::move(*text));
    }
  }
  return out;
}

std::optional<std::uint64_t> Section::whole(std::string_view key, std::uint64_t least,
                                            std::uint64_t most) {
  const auto got = text(key);
  if (!got) return std::nullopt;
  const auto value = parse_decimal(*got);
  if (value && *value >= least && *value <= most) return value;
  wrong(key, fmt::format("is no whole number from {} to {}", least, most));
  return std::nullopt;
}

Section Section::section(std::string_view key) {
  const YamlEntry* entry = ask(key);
  return {report_, entry == nullptr ? nullptr : &entry->value, place_of(key), path_of(key)};
}

const std::vector<YamlEntry>& Section::entries() const {
  static const std::vector<YamlEntry> kNone;
  return node_ == nullptr ? kNone : node_->entries;
}

void Section::know(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
}

void Section::finish() {
  for (const YamlEntry& entry : entries()) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    const std::string_view near = nearest(entry.key, known_);
    std::string hint;
    if (near.empty()) {
      hint = fmt::format("the keys here are {}", fmt::join(known_, ", "));
    } else {
      hint = fmt::format("did you mean {}?", near);
    }
    report_.errors.push_back(
        {entry.place, fmt::format("{}: is no known key; {}", path_of(entry.key), hint)});
  }
}

}  // namespace tanggul::app
