#pragma once

#include <string>
#include <string_view>

#include "registry/sql/parameter.h"

namespace tanggul::postgres {

// The number by which PostgreSQL calls a type: those of the system's own are the same everywhere
// (src/include/catalog/pg_type.dat).
using TypeId = unsigned;

// Appends a value in its text form, in a session set up by ours, as JSON: numbers with their
// digits, json inlined, bytea in base64, timestamps as RFC 3339, arrays as arrays, all else as a
// string.
void append_value(TypeId type, std::string_view text, std::string& out);
// The same for an array whose type is not the system's own.
void append_array(TypeId element, std::string_view text, std::string& out);
// Whether append_value() knows the type, or takes it for some kind of string.
bool is_known(TypeId type);

// What a parameter of this type must look like; any: only the server knows.
registry::sql::Type parameter_type(TypeId type);
// Whether a value of that form is within the type's range.
bool in_range(TypeId type, std::string_view canonical);

}  // namespace tanggul::postgres
