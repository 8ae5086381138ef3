#pragma once

#include <string>

namespace tanggul::sqlite {

// A file with a table of products to try things out with: products(id TEXT PRIMARY KEY, name TEXT,
// price NUMERIC, updated_at TIMESTAMP), ids 1 to 100. One that is there is left as it is. What
// went wrong; empty: nothing.
std::string make_demo(const std::string& file);

}  // namespace tanggul::sqlite
