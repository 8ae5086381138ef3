#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/git/run.h"
#include "ports/source_tree.h"

namespace tanggul::git {

// The id of HEAD's commit; nullopt: there is none yet.
Expected<std::optional<std::string>> head_commit(const Repository& repository);
// The URL of the remote `origin`; empty: none.
Expected<std::string> remote_url(const Repository& repository);
// "https://user:token@host/x" → "https://host/x"; "git@host:x" stays, it has no secret.
std::string without_userinfo(std::string_view url);

}  // namespace tanggul::git
