#include "sync/repository/forge.h"

#include <algorithm>
#include <initializer_list>

namespace tanggul::sync {
namespace {

using Segments = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool keep(Segments& segments, std::size_t count) {
  if (segments.size() < count) return false;
  segments.resize(count);
  return true;
}

bool owner_and_name(Segments& segments) { return keep(segments, 2); }

// Groups nest; the pages of a project come after a "-", once without it and under words that no
// project may be called.
bool gitlab(Segments& segments) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool page =
        i >= 2 && is_one_of(segments[i], {"tree", "blob", "raw", "blame", "commits", "wikis"});
    if (segments[i] == "-" || page) return i >= 2 && keep(segments, i);
  }
  return segments.size() >= 2;
}

// Some old models and datasets have no owner.
bool hugging_face(Segments& segments) {
  const std::size_t kind =
      !segments.empty() && is_one_of(segments[0], {"datasets", "spaces"}) ? 1 : 0;
  if (segments.size() <= kind) return false;
  if (kind == 0 &&
      is_one_of(segments[0], {"api", "blog", "collections", "docs", "models", "papers"}))
    return false;
  const bool owned = segments.size() > kind + 1 &&
                     !is_one_of(segments[kind + 1], {"blob", "commit", "commits", "discussions",
                                                     "raw", "resolve", "tree"});
  return keep(segments, kind + (owned ? 2 : 1));
}

constexpr Forge kForges[] = {{"github.com", owner_and_name},
                             {"gitlab.com", gitlab},
                             {"huggingface.co", hugging_face},
                             {"codeberg.org", owner_and_name},
                             {"bitbucket.org", owner_and_name}};

constexpr struct {
  std::string_view name, host;
} kOtherNames[] = {{"hf.co", "huggingface.co"},
                   {"ssh.github.com", "github.com"},
                   {"altssh.gitlab.com", "gitlab.com"},
                   {"altssh.bitbucket.org", "bitbucket.org"}};

}  // namespace

const Forge* find_forge(std::string_view host) {
  if (host.starts_with("www.")) host.remove_prefix(4);
  for (const auto& other : kOtherNames)
    if (host == other.name) host = other.host;
  for (const Forge& forge : kForges)
    if (host == forge.host) return &forge;
  return nullptr;
}

}  // namespace tanggul::sync
