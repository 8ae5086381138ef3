#include "adapters/postgres/types.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/bytes.h"
#include "registry/sql/row_json.h"

namespace tanggul::postgres {
namespace {

namespace sql = registry::sql;

enum Known : TypeId {
  kBool = 16,
  kBytea = 17,
  kInt8 = 20,
  kInt2 = 21,
  kInt4 = 23,
  kText = 25,
  kOid = 26,
  kJson = 114,
  kFloat4 = 700,
  kFloat8 = 701,
  kBpchar = 1042,
  kVarchar = 1043,
  kDate = 1082,
  kTimestamp = 1114,
  kTimestamptz = 1184,
  kNumeric = 1700,
  kUuid = 2950,
  kJsonb = 3802,
};

// Arrays have a type of their own for each type of element.
constexpr std::pair<TypeId, TypeId> kArrays[] = {
    {1000, kBool},    {1001, kBytea},   {1016, kInt8}, {1005, kInt2},      {1007, kInt4},
    {1009, kText},    {1028, kOid},     {199, kJson},  {1021, kFloat4},    {1022, kFloat8},
    {1014, kBpchar},  {1015, kVarchar}, {1182, kDate}, {1115, kTimestamp}, {1185, kTimestamptz},
    {1231, kNumeric}, {2951, kUuid},    {3807, kJsonb}};

TypeId element_of(TypeId type) {
  const auto* found = std::find_if(std::begin(kArrays), std::end(kArrays),
                                   [&](const auto& a) { return a.first == type; });
  return found == std::end(kArrays) ? 0 : found->second;
}

// {1,NULL,"a \"b\"",{…}}: the server's output, which a server of ours cannot get wrong; what does
// not read as such is a string.
class Array {
 public:
  Array(TypeId element, std::string_view text) : element_(element), text_(text) {}

  bool append(std::string& out) {
    // Of an array that does not begin with 1: "[0:1]={1,2}".
    if (text_.starts_with('[')) text_.remove_prefix(std::min(text_.find('=') + 1, text_.size()));
    return list(out, 0) && text_.empty();
  }

 private:
  static constexpr int kDeepest = 6;  // MAXDIM

  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool list(std::string& out, int depth) {
    if (depth == kDeepest || !take('{')) return false;
    out += '[';
    if (take('}')) {
      out += ']';
      return true;
    }
    do {
      if (out.back() != '[') out += ',';
      if (!(text_.starts_with('{') ? list(out, depth + 1) : element(out))) return false;
    } while (take(','));
    out += ']';
    return take('}');
  }
  bool element(std::string& out) {
    if (take('"')) {
      std::string value;
      while (!text_.empty() && text_.front() != '"') {
        if (text_.front() == '\\') text_.remove_prefix(1);
        if (text_.empty()) return false;
        value += text_.front();
        text_.remove_prefix(1);
      }
      append_value(element_, value, out);
      return take('"');
    }
    const std::string_view value = text_.substr(0, text_.find_first_of(",}"));
    text_.remove_prefix(value.size());
    if (value == "NULL") {
      out += "null";
    } else {
      append_value(element_, value, out);
    }
    return true;
  }

  const TypeId element_;
  std::string_view text_;
};

void append_bytea(std::string_view text, std::string& out) {
  const auto bytes = text.starts_with("\\x") ? from_hex(text.substr(2)) : std::nullopt;
  if (bytes) {
    sql::append_base64(*bytes, out);
  } else {
    sql::append_string(text, out);
  }
}

}  // namespace

void append_value(TypeId type, std::string_view text, std::string& out) {
  switch (type) {
    case kBool:
      out += text == "t" ? "true" : "false";
      return;
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid:
    case kFloat4:
    case kFloat8:
    case kNumeric:
      return sql::append_number(text, out);
    case kJson:
    case kJsonb:
      out += text;  // the server has checked it
      return;
    case kBytea:
      return append_bytea(text, out);
    case kTimestamp:
    case kTimestamptz:
      return sql::append_timestamp(text, out);
    default:
      break;
  }
  if (const TypeId element = element_of(type)) {
    append_array(element, text, out);
  } else {
    sql::append_string(text, out);
  }
}

void append_array(TypeId element, std::string_view text, std::string& out) {
  std::string list;
  if (Array(element, text).append(list)) {
    out += list;
  } else {
    sql::append_string(text, out);
  }
}

bool is_known(TypeId type) {
  constexpr TypeId kScalars[] = {kBool, kBytea,     kInt8,        kInt2,    kInt4,   kText,
                                 kOid,  kJson,      kFloat4,      kFloat8,  kBpchar, kVarchar,
                                 kDate, kTimestamp, kTimestamptz, kNumeric, kUuid,   kJsonb};
  return element_of(type) != 0 ||
         std::find(std::begin(kScalars), std::end(kScalars), type) != std::end(kScalars);
}

sql::Type parameter_type(TypeId type) {
  switch (type) {
    case kBool:
      return sql::Type::boolean;
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid:
      return sql::Type::integer;
    case kFloat4:
    case kFloat8:
    case kNumeric:
      return sql::Type::number;
    case kUuid:
      return sql::Type::uuid;
    case kDate:
      return sql::Type::date;
    case kTimestamp:
    case kTimestamptz:
      return sql::Type::timestamp;
    case kText:
    case kVarchar:
    case kBpchar:
      return sql::Type::text;
    default:
      return sql::Type::any;
  }
}

bool in_range(TypeId type, std::string_view canonical) {
  if (type == kFloat4) return std::isfinite(std::strtof(std::string(canonical).c_str(), nullptr));
  if (type == kFloat8) return std::isfinite(std::strtod(std::string(canonical).c_str(), nullptr));
  std::int64_t least = 0, most = 0, value = 0;
  switch (type) {
    case kInt2:
      least = INT16_MIN, most = INT16_MAX;
      break;
    case kInt4:
      least = INT32_MIN, most = INT32_MAX;
      break;
    case kOid:
      most = UINT32_MAX;
      break;
    default:
      return true;
  }
  const auto [end, error] =
      std::from_chars(canonical.data(), canonical.data() + canonical.size(), value);
  return error == std::errc() && value >= least && value <= most;
}

}  // namespace tanggul::postgres
