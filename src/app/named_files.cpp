#include "app/named_files.h"

#include <unistd.h>

namespace tanggul::app {

std::vector<std::string> unreadable_files(const Config& config) {
  std::vector<std::string> lines;
  for (const auto& origin : config.shield.origins) {
    const std::pair<const char*, const std::string&> files[] = {
        {"ca", origin.tls.ca}, {"cert", origin.tls.cert}, {"key", origin.tls.key}};
    for (const auto& [key, path] : files)
      if (!path.empty() && ::access(path.c_str(), R_OK) != 0)
        lines.push_back("origins." + origin.name + ".tls." + key + ": the file " + path +
                        " cannot be read; name a PEM file that can");
  }
  return lines;
}

}  // namespace tanggul::app
