#include "adapters/git/head.h"

#include "adapters/git/tree_records.h"
#include "base/utf8.h"

namespace tanggul::git {

namespace {

// HEAD names a branch, and nothing has that name: neither a commit nor a broken file.
Expected<bool> is_unborn(const Repository& repository) {
  const auto branch = run(repository, {"symbolic-ref", "--quiet", "HEAD"});
  if (!branch) return branch.error();
  if (branch->status != 0 || !branch->out.starts_with("refs/")) return false;
  const auto found = run(repository, {"for-each-ref", "--format=x", branch->out});
  if (!found) return found.error();
  return found->status == 0 && found->out.empty() && found->said.empty();
}

}  // namespace

Expected<std::optional<std::string>> head_commit(const Repository& repository) {
  auto head = run(repository, {"rev-parse", "--verify", "HEAD^{commit}"});
  if (!head) return head.error();
  if (head->status == 0 && is_object_id(head->out)) return std::optional(std::move(head->out));
  const auto unborn = is_unborn(repository);
  if (!unborn) return unborn.error();
  if (*unborn) return std::optional<std::string>();
  // "Needed a single revision" says nothing to who did not ask git for one.
  const bool unknown = head->said.empty() || head->said.starts_with("Needed");
  return failed(unknown ? "HEAD names no commit that is there" : head->said);
}

Expected<std::string> remote_url(const Repository& repository) {
  const auto url = run(repository, {"config", "--get", "remote.origin.url"});
  if (!url) return url.error();
  if (url->status != 0) return std::string();
  return to_utf8(printable(without_userinfo(url->out)));
}

std::string without_userinfo(std::string_view url) {
  if (url.find("://") != url.npos)
    url = url.substr(0, url.find_first_of("?#"));  // tokens hide there
  const std::size_t scheme = url.find("://");
  if (scheme == url.npos) return std::string(url);
  const std::size_t begin = scheme + 3;
  const std::string_view authority = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  const std::size_t at = authority.rfind('@');
  if (at == authority.npos) return std::string(url);
  return std::string(url.substr(0, begin)).append(url.substr(begin + at + 1));
}

}  // namespace tanggul::git
