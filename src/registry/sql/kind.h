#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/path_template.h"
#include "registry/kind.h"
#include "registry/sql/inferred.h"
#include "registry/sql/parameter.h"

namespace tanggul::registry::sql {

// A mount whose path and query are the parameters of one query.
struct Mount {
  http::PathTemplate path;
  std::vector<Parameter> parameters;  // in the order of $1, $2, …; with all of the path's
  // Types that the configuration leaves to the database; null: to nobody.
  std::shared_ptr<const Inferred> inferred;
  // Tells its rows from those of another query: what another configuration has stored is not
  // served.
  std::string form;
};

// The key is the path with its values in their canonical form, of the query what the parameters
// name, in their order, and after a \x1f the form: what else a client adds makes no other key.
std::unique_ptr<Kind> make_sql(Mount mount);

// What a notification's payload says has changed: a path below the mount as keys have it, with
// whatever query. nullopt: it may be anything of this mount.
//
//     42                  the value of the first placeholder
//     {"id": 42, …}       values by their names; further names are ignored
struct Changed {
  std::string rest;
  bool has_queries = false;  // the mount has parameters in its query
};
std::optional<Changed> changed(const Mount& mount, std::string_view payload);

}  // namespace tanggul::registry::sql
