#pragma once

#include <string_view>

#include "readers/metadata/findings.h"

namespace tanggul::readers {

// The config.json of a model of transformers, diffusers or sentence-transformers. What the object
// itself does not say is taken from its `text_config`. No model where it says nothing of one: other
// programs have files of this name.
Metadata read_config_json(std::string_view json);

}  // namespace tanggul::readers
