#pragma once

#include <optional>
#include <string_view>

namespace tanggul::readers {

// The number that a table cell gives: "92.64%", "87.5±.3", "5.11 (5.11)", "36.6 pass@1", "1,234",
// "<b>"-less and unlinked text. None for names that hold digits ("R50"), versions ("1.13.1"), dates
// and text that a number merely begins ("4 GPUs with NVLink and …").
struct CellNumber {
  double value = 0;
  bool fraction = false;  // it has digits behind a point
  bool sized = false;     // a size or a time: "125M", "8 GB", "12 ms", "2x"
};
std::optional<CellNumber> cell_number(std::string_view cell);

}  // namespace tanggul::readers
