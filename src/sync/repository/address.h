#pragma once

#include <string>
#include <string_view>

#include "base/failure.h"

namespace tanggul::sync {

// The one name of a repository, whatever way somebody wrote it.
struct Address {
  // https://HOST[:PORT]/PATH, or http:// where that was written of a host we do not know: no user,
  // query, fragment, ".git" or slash at the end. Of a forge that we know (github.com, gitlab.com,
  // huggingface.co, codeberg.org, bitbucket.org) in lower case and without what its pages add.
  std::string url;

  bool operator==(const Address&) const = default;
};

// Of a URL, a URL of git's, what ssh takes (git@github.com:owner/name), or, of a forge that we
// know, its name and path alone. Fails with bad_input and a sentence that repeats nothing of the
// text, which may hold a secret. Nothing is looked up. Of its own url it gives the same again.
Expected<Address> parse_address(std::string_view text);

}  // namespace tanggul::sync
