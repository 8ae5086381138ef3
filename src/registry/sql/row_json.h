#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tanggul::registry::sql {

// Values as JSON (RFC 8259), appended to `out`. What JSON has no form for becomes a string, so that
// nothing is lost: NaN, an infinite date, a time without a date.
void append_string(std::string_view text, std::string& out);  // bytes that are no UTF-8 become '?'
// Digits as the database wrote them: no double in between would lose any.
void append_number(std::string_view text, std::string& out);
void append_base64(std::string_view bytes, std::string& out);
// "2024-02-29 12:30:00.5+00" as RFC 3339, "2024-02-29T12:30:00.5Z". Without a zone none is added:
// the database does not say which.
void append_timestamp(std::string_view text, std::string& out);
// A document that the database has stored as JSON, as it is; as a string if it is none.
void append_json(std::string_view text, std::string& out);

// Rows with these columns, one after another, as one object or an array of objects.
class RowsJson {
 public:
  // `many`: an array, of however many; else the first row's object, and the others are passed over.
  RowsJson(std::vector<std::string> columns, bool many);

  // True: its values are wanted, one value() for each column.
  bool begin_row();
  // Where the next column's value goes.
  std::string& value();
  void end_row();
  std::string finish();

  std::size_t rows() const noexcept { return rows_; }
  std::size_t size() const noexcept { return out_.size(); }

 private:
  std::vector<std::string> names_;  // each as "name":
  const bool many_;
  std::size_t rows_ = 0, column_ = 0;
  std::string out_;
};

// The name that two columns have; empty: each has its own, as an object needs.
std::string twice(const std::vector<std::string>& columns);

}  // namespace tanggul::registry::sql
