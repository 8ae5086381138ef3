#pragma once

#include <string>

#include "app/sync/findings_json.h"

namespace tanggul::app {

// The findings for people: papers with why they are the repository's own or not, tables, rows, the
// model, and what was not read. Nothing of it can speak to the terminal.
std::string findings_text(const Source& source, const sync::Findings& findings, bool colour);

}  // namespace tanggul::app
