#pragma once

#include <string_view>

namespace tanggul::app {

inline constexpr std::string_view kVersion = TANGGUL_VERSION;

}  // namespace tanggul::app
