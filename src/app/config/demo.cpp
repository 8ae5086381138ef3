#include <fmt/format.h>

#include "app/config/config.h"

namespace tanggul::app {

std::string demo_file(const std::string& data_dir) { return data_dir + "/demo.sqlite"; }

// Slow on purpose, so that a herd can be seen to cost one query.
std::string demo_yaml(const std::string& data_dir) {
  std::string file;
  for (const char c : demo_file(data_dir)) {
    if (c == '"' || c == '\\') file += '\\';
    file += c;
  }
  return fmt::format(
      "origins:\n"
      "  products:\n"
      "    kind: sql\n"
      "    mount: \"/products/{{id}}\"\n"
      "    database: \"sqlite://{}\"\n"
      "    query: \"SELECT id, name, price, updated_at FROM products WHERE id = $1 AND "
      "pause(0.3)\"\n",
      file);
}

}  // namespace tanggul::app
