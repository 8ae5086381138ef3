#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tanggul::readers::arxiv {

// The month in which a paper got its identifier.
struct Month {
  int year = 9999, month = 12;  // the default is later than any
  bool operator<=(const Month& other) const {
    return year != other.year ? year < other.year : month <= other.month;
  }
};

// arXiv's new scheme (help/arxiv_identifier): from 0704 to 1412 four digits behind the dot, from
// 1501 on five, never 0; months 01 to 12; nothing later than `latest`.
bool valid_new(std::string_view yymm, std::string_view sequence, const Month& latest);
// Its old scheme, in force from 9107 to 0703: YYMMNNN.
bool valid_old(std::string_view yymmnnn);
// "math", "hep-th" …, by any case: an archive that has ever named papers.
bool is_archive(std::string_view name);
// "cs.CL", "hep-lat", "astro-ph.CO": an archive with or without a class.
bool is_category(std::string_view name);

// The canonical form of what is an identifier alone, "math.CA/0611800v2" or "arXiv:1706.03762":
// without version and class, the archive in lower case. None: it is no valid one.
struct Id {
  std::string canonical;
  unsigned version = 0;
  bool operator==(const Id&) const = default;
};
std::optional<Id> parse(std::string_view text, const Month& latest = {});

}  // namespace tanggul::readers::arxiv
