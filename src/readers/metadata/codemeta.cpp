#include "readers/metadata/codemeta.h"

#include "readers/metadata/json.h"
#include "readers/metadata/references.h"

namespace tanggul::readers {
namespace {

using Role = Reference::Role;

void add_object(Collector& to, TreeNode object) {
  if (!object.is_map()) return;
  add_references(to, object.find("referencePublication"), "referencePublication", Role::own);
  for (const char* field : {"citation", "identifier", "codeRepository"}) {
    add_references(to, object.find(field), field, Role::unsaid);
  }
}

void read(TreeNode root, Collector& to) {
  if (!root.exists()) return;
  if (!root.is_map() && !root.is_list()) return to.defect(root.line(), "no JSON object");
  add_object(to, root);
  const TreeNode objects = root.is_list() ? root : root.find("@graph");
  for (std::size_t i = 0; i < objects.size(); ++i) add_object(to, objects.at(i));
}

}  // namespace

Metadata read_codemeta(std::string_view json) { return collect(read_json(json), read); }

}  // namespace tanggul::readers
