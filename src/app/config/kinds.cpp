#include "app/config/kinds.h"

#include "registry/npm.h"

namespace tanggul::app {

const std::vector<std::string>& known_kinds() {
  static const std::vector<std::string> kKinds = {"npm", "pypi",   "aur",    "cargo",
                                                  "go",  "debian", "maven",  "generic",
                                                  "sql", "github", "gitlab", "arxiv"};
  return kKinds;
}

std::unique_ptr<registry::Kind> make_kind(std::string_view name, registry::GenericKey key) {
  if (name == "npm") return registry::make_npm();
  if (name == "generic") return registry::make_generic(std::move(key));
  return nullptr;
}

}  // namespace tanggul::app
