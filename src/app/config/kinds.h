#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "registry/generic.h"
#include "registry/kind.h"

namespace tanggul::app {

// The kinds of origin that the contract names, those that this version lacks among them.
const std::vector<std::string>& known_kinds();

// Null: this version does not have that kind. `key` matters to generic alone: the other kinds know
// which parts of a target mean something.
std::unique_ptr<registry::Kind> make_kind(std::string_view name, registry::GenericKey key);

}  // namespace tanggul::app
