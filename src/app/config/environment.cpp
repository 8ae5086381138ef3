#include "app/config/environment.h"

#include <cstdlib>

namespace tanggul::app {

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

Expanded expand(std::string_view text, const Environment& environment) {
  Expanded out;
  while (true) {
    const std::size_t start = text.find("${");
    out.text += text.substr(0, start);
    if (start == std::string_view::npos) return out;
    const std::size_t end = text.find('}', start);
    if (end == std::string_view::npos) {
      out.open = true;
      return out;
    }
    const std::string name(text.substr(start + 2, end - start - 2));
    if (const auto value = environment(name)) {
      out.text += *value;
    } else if (out.unset.empty()) {
      out.unset = name.empty() ? "${}" : name;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace tanggul::app
