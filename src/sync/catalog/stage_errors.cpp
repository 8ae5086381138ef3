#include "sync/catalog/stage_errors.h"

#include <boost/json.hpp>
#include <map>
#include <set>

#include "sync/catalog/statements.h"

namespace tanggul::sync {
namespace {

// The stages in a cell of errors, each once; none where the cell is not as we write it.
std::set<std::string> stages_in(const std::string& cell) {
  std::set<std::string> out;
  boost::system::error_code ec;
  const boost::json::value errors = boost::json::parse(cell, ec);
  if (ec || !errors.is_array()) return out;
  for (const boost::json::value& error : errors.get_array()) {
    const auto* const object = error.if_object();
    const auto* const stage = object ? object->if_contains("stage") : nullptr;
    if (stage && stage->is_string()) out.emplace(stage->get_string());
  }
  return out;
}

}  // namespace

Expected<std::vector<StageErrors>> stage_errors(Catalog& catalog) {
  std::map<std::pair<std::string, std::string>, std::int64_t> counts;
  Statements db(catalog.session());
  db.run("SELECT release, errors FROM snapshots WHERE errors <> '[]'", {},
         [&](const ports::SqlRow& row) {
           for (const std::string& stage : stages_in(std::get<std::string>(row[1])))
             ++counts[{std::get<std::string>(row[0]), stage}];
         });
  if (auto ended = db.ended(); !ended) return ended.error();
  std::vector<StageErrors> out;
  for (const auto& [which, count] : counts) out.push_back({which.first, which.second, count});
  return out;
}

}  // namespace tanggul::sync
