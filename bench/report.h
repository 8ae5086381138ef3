#pragma once

#include <string>
#include <vector>

#include "table.h"

namespace tanggul::bench {

// What each part has shown, a file each in a folder, so that one part may be measured again without
// the others.
class Results {
 public:
  explicit Results(std::string folder);

  void keep(const std::string& part, const std::vector<Table>& tables) const;
  // Of those of `parts` that have been kept, in that order.
  std::vector<Table> of(const std::vector<std::string>& parts) const;

 private:
  std::string folder_;
};

// The whole page; `picture` is the name of its chart, empty: none.
std::string to_report(const std::vector<Table>& tables, const std::string& picture);

// The chart of the tables, or nothing where none of them has ratios.
std::string to_picture(const std::vector<Table>& tables);

}  // namespace tanggul::bench
