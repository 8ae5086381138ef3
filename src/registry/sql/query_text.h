#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tanggul::registry::sql {

// What is wrong with the text of a query that `parameters` are bound to as $1, $2, …: it must read,
// be one statement, use each of them, and name none in any other way, as that would be splicing
// values into text. nullopt: nothing. Knows strings, quoted names, dollar quotes and comments.
std::optional<std::string> fault_of(std::string_view text,
                                    const std::vector<std::string>& parameters);

}  // namespace tanggul::registry::sql
