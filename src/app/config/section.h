#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/environment.h"
#include "app/config/units.h"
#include "app/config/yaml_tree.h"

namespace tanggul::app {

// What is wrong with one file, gathered to be told at once.
struct Report {
  std::string file;
  Environment environment;
  std::vector<Fault> errors, warnings;

  // "file:line:column: text", in the file's order.
  std::vector<std::string> lines(std::vector<Fault> faults) const;
};

// One map of the configuration. Each question names a key, which makes it known; a key that is
// absent leaves the value as it was, a value that is wrong becomes an error of the report and
// leaves it too. finish() then finds the keys that nobody asked for.
class Section {
 public:
  // `node` null: an empty map at `place`. Anything but a map is an error.
  Section(Report& report, const YamlNode* node, Place place, std::string path);

  // Something stands there that is no map, which has been told.
  bool refused() const { return refused_; }
  bool has(std::string_view key) const { return node_ != nullptr && node_->find(key) != nullptr; }
  void duration(std::string_view key, Duration& out, Duration least = Duration::zero());
  void size(std::string_view key, ByteCount& out, ByteCount least = 0);
  void byte_rate(std::string_view key, ByteCount& out);
  void rate(std::string_view key, Rate& out);
  void number(std::string_view key, double& out, double least, double most);
  void boolean(std::string_view key, bool& out);
  bool string(std::string_view key, std::string& out);     // true: it was set
  std::vector<std::string> strings(std::string_view key);  // one word, or a list of them

  template <class T>
  void integer(std::string_view key, T& out, std::uint64_t least, std::uint64_t most) {
    if (const auto got = whole(key, least, most)) out = static_cast<T>(*got);
  }
  template <class E>
  void choice(std::string_view key, E& out,
              std::initializer_list<std::pair<std::string_view, E>> names) {
    const auto got = text(key);
    if (!got) return;
    std::string known;
    for (const auto& [name, value] : names) {
      if (*got == name) {
        out = value;
        return;
      }
      known.append(known.empty() ? "" : ", ").append(name);
    }
    wrong(key, fmt::format("is none of its values; write one of {}", known));
  }

  Section section(std::string_view key);
  // The entries as they are; every key in here is known.
  const std::vector<YamlEntry>& entries() const;
  void know(std::string_view key);

  void error(std::string_view key, std::string_view what);
  void warn(std::string_view key, std::string_view what);
  // An error about the value of `key`, which it quotes as written, without its userinfo.
  void wrong(std::string_view key, std::string_view what);
  void finish();

  const std::string& path() const { return path_; }
  Place place_of(std::string_view key) const;
  Report& report() { return report_; }

 private:
  std::optional<std::string> text(std::string_view key);
  std::optional<std::string> expanded(const YamlNode& node, Place place, const std::string& path);
  std::optional<std::uint64_t> whole(std::string_view key, std::uint64_t least, std::uint64_t most);
  std::string path_of(std::string_view key) const;
  const YamlEntry* ask(std::string_view key);

  Report& report_;
  const YamlNode* node_;
  Place place_;
  std::string path_;
  bool refused_ = false;
  std::vector<std::string> known_;
};

// The known word with the fewest edits from `word`; empty where none is near.
std::string_view nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace tanggul::app
