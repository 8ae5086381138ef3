#include "readers/metadata/front_matter.h"

#include "base/bytes.h"
#include "readers/metadata/model_index.h"
#include "readers/metadata/references.h"
#include "readers/metadata/yaml.h"

namespace tanggul::readers {
namespace {

bool names_a_paper(std::string_view key) {
  for (const std::string_view name :
       {"arxiv", "arxiv_id", "arxiv-id", "arxiv_url", "arxiv_link", "doi", "paper", "papers",
        "paper_url", "paper-url", "paper_link", "paper_id", "preprint", "publication",
        "publications", "citation", "bibtex"}) {
    if (iequals(key, name)) return true;
  }
  return false;
}

void add_tag(Collector& to, TreeNode tag) {
  const auto name = to_lower(tag.text().substr(0, 6));
  if (!name.starts_with("arxiv:") && !name.starts_with("doi:")) return;
  to.add(Reference{.field = "tags", .text = std::string(tag.text()), .line = tag.line()});
}

void read(TreeNode root, Collector& to) {
  if (!root.exists() || root.is_null()) return;
  if (!root.is_map()) return to.defect(root.line(), "the front matter is no map");
  add_model_index(to, root.find("model-index"));
  const TreeNode tags = root.find("tags");
  add_tag(to, tags);
  for (std::size_t i = 0; i < tags.size(); ++i) add_tag(to, tags.at(i));
  for (const auto& [key, value] : root.entries()) {
    if (names_a_paper(key)) {
      add_references(to, value, std::string(key), Reference::Role::unsaid);
    }
  }
}

}  // namespace

Metadata read_front_matter(std::string_view yaml, std::uint32_t first_line) {
  return collect(read_yaml(yaml, first_line), read);
}

}  // namespace tanggul::readers
