#include "readers/metadata/references.h"

#include <algorithm>

#include "base/bytes.h"

namespace tanggul::readers {
namespace {

// The depth of the tree bounds this too; no real field nests so far.
constexpr int kDeepest = 8;

bool names_a_work(std::string_view key) {
  for (const std::string_view name :
       {"url", "urls", "doi", "dois", "id", "@id", "identifier", "identifiers", "value", "arxiv",
        "arxiv_id", "arxiv-id", "eprint", "link", "paper", "pdf", "sameas"}) {
    if (iequals(key, name)) return true;
  }
  return false;
}

// Whatever ids are in it are other works'.
bool is_prose(std::string_view key) {
  return iequals(key, "title") || iequals(key, "name") || iequals(key, "headline") ||
         iequals(key, "abstract") || iequals(key, "description");
}

// "journal: arXiv preprint arXiv:1706.03762", "notes: see arxiv.org/…"
bool speaks_of_arxiv(TreeNode node) {
  constexpr std::string_view kName = "arxiv";
  const std::string_view text = node.text();
  const auto same = [](char a, char b) { return ascii_lower(a) == b; };
  return std::search(text.begin(), text.end(), kName.begin(), kName.end(), same) != text.end();
}

std::string_view title_of(TreeNode map) {
  for (const std::string_view key : {"title", "name", "headline"}) {
    if (const TreeNode title = map.find_any_case(key); title.is_scalar()) return title.text();
  }
  return {};
}

struct Field {
  std::string name;
  Reference::Role role;
  std::string_view title;
};

std::size_t add(Collector& to, TreeNode work, const Field& field, int depth);

std::size_t add_map(Collector& to, TreeNode map, const Field& field, int depth) {
  const auto own_title = title_of(map);
  const auto title = own_title.empty() ? field.title : own_title;
  std::size_t added = 0;
  for (const auto& [key, value] : map.entries()) {
    const bool names = names_a_work(key);
    if (!names && !(speaks_of_arxiv(value) && !is_prose(key))) continue;
    added += add(to, value, {field.name + "." + std::string(key), field.role, title}, depth + 1);
  }
  if (added > 0 || own_title.empty()) return added;
  to.add(Reference{field.role, field.name, {}, std::string(own_title), map.line()});
  return 1;
}

std::size_t add(Collector& to, TreeNode work, const Field& field, int depth) {
  if (depth > kDeepest) return 0;
  if (work.is_map()) return add_map(to, work, field, depth);
  std::size_t added = 0;
  for (std::size_t i = 0; i < work.size(); ++i) added += add(to, work.at(i), field, depth + 1);
  if (!work.is_scalar() || work.text().empty()) return added;
  to.add(Reference{field.role, field.name, std::string(work.text()), std::string(field.title),
                   work.line()});
  return 1;
}

}  // namespace

void add_references(Collector& to, TreeNode work, const std::string& field, Reference::Role role) {
  add(to, work, {field, role, {}}, 0);
}

}  // namespace tanggul::readers
