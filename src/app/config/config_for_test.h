#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "app/config/config.h"

namespace tanggul::app {

inline Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    if (at == variables.end()) return std::nullopt;
    return at->second;
  };
}

inline Environment usual_environment() {
  return environment_of({{"HOME", "/home/ci"},
                         {"TANGGUL_TOKEN", "t0ken"},
                         {"NPM_AUTH", "Bearer s3cret"},
                         {"LIFE", "36h"},
                         {"PASSWORD", "p@ss"}});
}

inline LoadedConfig parsed(const std::string& text, const Overrides& overrides = {}) {
  return parse_config(text, "t.yaml", overrides, usual_environment());
}

inline Config good(const std::string& text, const Overrides& overrides = {}) {
  LoadedConfig loaded = parsed(text, overrides);
  for (const std::string& error : loaded.errors) ADD_FAILURE() << error;
  return loaded.config.value_or(Config{});
}

}  // namespace tanggul::app
