#pragma once

#include <cstdint>
#include <iosfwd>

#include "ports/sql_session.h"

namespace tanggul::sync {

// The shapes of Papers with Code's data files (paperswithcode-data), with what we know of them;
// docs/catalog.md says which fields are filled. What is gone is left out, as nobody could follow
// the link. How many rows they were made of.

// links-between-papers-and-code.json: an array of links.
Expected<std::uint64_t> put_pwc_links(ports::SqlSession& session, std::ostream& out);
// evaluation-tables.json: an array of tasks, in each its data sets, in each the models' values.
Expected<std::uint64_t> put_pwc_evaluation_tables(ports::SqlSession& session, std::ostream& out);

}  // namespace tanggul::sync
