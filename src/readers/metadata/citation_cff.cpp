#include "readers/metadata/citation_cff.h"

#include "base/bytes.h"
#include "readers/metadata/references.h"
#include "readers/metadata/yaml.h"

namespace tanggul::readers {
namespace {

using Role = Reference::Role;

void add_text(Collector& to, TreeNode text, const std::string& field, Role role, TreeNode title) {
  if (text.text().empty()) return;
  to.add(Reference{role, field, std::string(text.text()), std::string(title.text()), text.line()});
}

bool says_article(TreeNode identifier) {
  for (const std::string_view key : {"description", "value"}) {
    const auto text = to_lower(identifier.find(key).text());
    for (const std::string_view word : {"article", "paper", "preprint", "publication", "arxiv"}) {
      if (text.find(word) != text.npos) return true;
    }
  }
  return false;
}

void add_identifier(Collector& to, TreeNode identifier, TreeNode title) {
  if (identifier.is_scalar()) {
    return add_text(to, identifier, "identifiers", Role::unsaid, title);
  }
  if (iequals(identifier.find("type").text(), "swh")) return;
  const Role role = says_article(identifier) ? Role::own : Role::unsaid;
  add_text(to, identifier.find("value"), "identifiers.value", role, title);
}

void read(TreeNode root, Collector& to) {
  if (!root.exists() || root.is_null()) return;
  if (!root.is_map()) return to.defect(root.line(), "the citation file is no map");
  const TreeNode title = root.find("title");
  add_references(to, root.find("preferred-citation"), "preferred-citation", Role::own);
  add_text(to, root.find("doi"), "doi", Role::own, title);
  add_text(to, root.find("url"), "url", Role::own, title);
  const TreeNode identifiers = root.find("identifiers");
  for (std::size_t i = 0; i < identifiers.size(); ++i) add_identifier(to, identifiers.at(i), title);
  add_references(to, root.find("references"), "references", Role::cited);
}

}  // namespace

Metadata read_citation_cff(std::string_view yaml) { return collect(read_yaml(yaml, 1), read); }

}  // namespace tanggul::readers
