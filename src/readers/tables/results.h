#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tanggul::readers {

// A table of a document, as people read it. Of a row the cells at its end that are not written may
// be missing: they are empty.
struct Table {
  std::uint32_t line = 0;
  bool html = false;  // else GFM
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  // What stands above it: the headings it is under, outermost first, and whether these and the text
  // just before announce results.
  std::vector<std::string> headings;
  bool announced = false;
};

// One measured value, with what the table and its surroundings say of it; what they leave open is
// empty.
struct TableResult {
  std::size_t row = 0, column = 0;
  std::string subject;  // what was measured: the row's own name
  std::string task, dataset, metric;
  std::string text;  // the cell
  double value = 0;
  // False: a number of what was given or spent, parameters or time, which stands in the same table.
  bool measured = true;
};

struct ResultTable {
  Table table;
  std::vector<TableResult> results;  // each number of each column of numbers, row by row
};

// The results of a table of measured evaluation results (accuracy, BLEU, FID, scores …), which may
// stand in columns or, with the models as columns, in rows. None: it is a table of something else,
// of settings, sizes, files, speed alone.
std::optional<ResultTable> measured(Table table);

}  // namespace tanggul::readers
