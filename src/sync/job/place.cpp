#include "sync/job/place.h"

#include <fmt/format.h>

#include "sync/repository/forge.h"

namespace tanggul::sync {
namespace {

using ports::WebAnswer;

constexpr std::string_view kRefs = "/info/refs?service=git-upload-pack";
constexpr std::string_view kSpeaksGit = "application/x-git-upload-pack-advertisement";

bool on_known_forge(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == url.npos) return false;
  const std::string_view rest = url.substr(scheme + 3);
  return find_forge(rest.substr(0, rest.find('/'))) != nullptr;
}

Place gone(std::string reason, std::string detail) {
  return {.end = JobEnd::gone, .reason = std::move(reason), .detail = std::move(detail)};
}

Place failed(const Failure& failure, const std::string& url) {
  if (failure.code == Errc::forbidden_address || failure.code == Errc::redirect)
    return gone("forbidden", failure.detail);
  if (failure.code == Errc::deadline) return {.end = JobEnd::timeout, .detail = failure.detail};
  return {.end = on_known_forge(url) ? JobEnd::busy : JobEnd::transient, .detail = failure.detail};
}

// The repository's own URL, of the one that answered.
std::string without_refs(std::string url) {
  if (const std::size_t at = url.rfind("/info/refs"); at != url.npos) url.resize(at);
  return url;
}

Place judged(const WebAnswer& answer, const std::string& url) {
  const std::string said = fmt::format("the server answers {}", answer.status);
  // Who says when to come again will answer otherwise then.
  if (answer.status >= 400 && answer.retry_after)
    return {.end = JobEnd::busy, .detail = said, .retry_after = answer.retry_after};
  switch (answer.status) {
    case 200:
      if (!answer.content_type.starts_with(kSpeaksGit))
        return gone("no_repository", "what lies there speaks no git, but " +
                                         (answer.content_type.empty() ? "nothing that it names"
                                                                      : answer.content_type));
      return {.remote = ports::Remote{without_refs(answer.url), answer.address},
              .moved = answer.moved};
    case 404:
    case 410:
      return gone("not_found", said);
    case 403:
      // A forge may say so to all that one address asks for.
      if (on_known_forge(url)) return {.end = JobEnd::transient, .detail = said};
      return gone("not_public", said);
    case 401:
      return gone("not_public", said);  // forges say so of what is not there, too
    case 408:
    case 421:
    case 425:
    case 451:
      return gone("blocked", said);
    case 429:
    case 503:
      return {.end = JobEnd::busy, .detail = said, .retry_after = answer.retry_after};
    default:
      if (answer.status >= 500)
        return {.end = on_known_forge(url) ? JobEnd::busy : JobEnd::transient,
                .detail = said,
                .retry_after = answer.retry_after};
      return gone("no_repository", said);
  }
}

}  // namespace

Place look_at(ports::Web& web, const std::string& url, MonoTime until) {
  const auto ask = [&](const std::string& at) {
    return web.get(
        {.url = at + std::string(kRefs), .headers = {"Git-Protocol: version=2"}, .until = until});
  };
  const auto answer = ask(url);
  if (!answer) return failed(answer.error(), url);
  Place place = judged(*answer, url);
  if (place.reason != "not_found" || url.ends_with(".git")) return place;
  const auto again = ask(url + ".git");
  if (!again) return failed(again.error(), url);
  Place with = judged(*again, url);
  return with.reason == "not_found" ? place : with;
}

}  // namespace tanggul::sync
