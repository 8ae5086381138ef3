#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tanggul::registry {

// A package's name in pieces that point into the raw path. Every byte of them means itself: only
// the '@' of a scope and the slash behind it may have been escaped.
struct NpmName {
  std::string_view scope;  // without its '@'; empty: none
  std::string_view name;
};

// What a raw target of the npm registry's API names. Points into it.
//
// Nothing but `%40` before a scope and `%2f` behind one is ever decoded. What does not look exactly
// like a resource of npm's is `other`, under its own raw bytes, so that no two spellings that a
// registry may tell apart become one key, and none becomes another package's.
struct NpmPath {
  enum class What {
    packument,  // /name
    manifest,   // /name/version-or-tag
    tarball,    // /name/-/file
    shared,     // /-/npm/v1/keys and attestations: public, the same for all
    own,        // the rest of /-/, and paths with dot segments: nobody else's answer
    other,
  };
  What what = What::other;
  NpmName package;          // of packument, manifest, tarball
  std::string_view tail;    // version or tag; or what follows "/-/" of a tarball
  std::string_view suffix;  // the query with its question mark; or empty
  bool writes = false;      // ?write=true: read in order to be written back, never from a cache
};

NpmPath parse_npm_path(std::string_view raw);

// The package that a request which writes is about: PUT /name, DELETE /name/-rev/…,
// PUT /-/package/name/dist-tags/…; nullopt: none that we know.
std::optional<NpmName> written_package(std::string_view raw) noexcept;

// The last segment of a tarball's path: what its packument calls the file.
std::string_view file_of(std::string_view tail) noexcept;

// "/@scope/name" and "/@scope%2fname": clients' form, and that of an upstream's packuments.
void append_plain(const NpmName& package, std::string& to);
void append_escaped(const NpmName& package, std::string& to);

}  // namespace tanggul::registry
