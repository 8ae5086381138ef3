#pragma once

#include <string>

#include "sync/catalog/visit.h"

namespace tanggul::test {

inline constexpr WallTime kStart = WallTime(std::chrono::hours(490'000));
inline const std::string kCommitA(40, 'a'), kCommitB(40, 'b');

// Findings with something in every table: `papers` papers of numbers from 1706.00001 on.
sync::Findings findings(std::size_t papers = 2);
// Of "https://github.com/" + `name`.
sync::Visit visit(const std::string& name, const std::string& commit = kCommitA,
                  const std::string& release = "v1", WallTime at = kStart);

}  // namespace tanggul::test
