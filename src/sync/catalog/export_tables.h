#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "ports/sql_session.h"

namespace tanggul::sync {

enum class CellKind { text, whole, number, flag, json, time };

struct ExportColumn {
  std::string_view name, sql;
  CellKind kind = CellKind::text;
  bool of_the_run = false;  // a time that depends on when the catalog was written
};

// What is true now, as rows of one kind, in an order that depends on nothing but what they say.
struct ExportTable {
  std::string_view name;  // "links"
  std::string_view from, order;
  std::string_view repository;  // the expression that a row's repository is; empty: it has none
  std::span<const ExportColumn> columns;
};

std::span<const ExportTable> export_tables();
const ExportTable* find_export_table(std::string_view name);

// All its rows, or those of the repository $1.
std::string select_of(const ExportTable& table, bool of_one_repository = false);

// One cell; what NULL is to both is null, and empty.
void put_json(JsonWriter& json, CellKind kind, const ports::SqlValue& value);
std::string cell_text(CellKind kind, const ports::SqlValue& value);

}  // namespace tanggul::sync
