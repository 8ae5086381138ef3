#include "shield/request_headers.h"

#include <algorithm>

#include "base/bytes.h"

namespace tanggul::shield {
namespace {

template <std::size_t N>
bool among(const std::string_view (&names)[N], std::string_view name) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view n) { return iequals(n, name); });
}

constexpr std::string_view kSelecting[] = {"accept", "accept-encoding", "accept-language",
                                           "accept-charset", "user-agent"};

// Of a request, but not about the answer: hop-by-hop things, conditions that the shield evaluates
// itself, and what only its sender's tracing understands.
constexpr std::string_view kOfTheHop[] = {"host",
                                          "content-length",
                                          "expect",
                                          "cdn-loop",
                                          "via",
                                          "x-forwarded-for",
                                          "x-forwarded-host",
                                          "x-forwarded-proto",
                                          "forwarded",
                                          "x-real-ip",
                                          "prefer"};
constexpr std::string_view kNoMatter[] = {"cache-control",
                                          "pragma",
                                          "range",
                                          "if-match",
                                          "if-none-match",
                                          "if-range",
                                          "if-modified-since",
                                          "if-unmodified-since",
                                          "referer",
                                          "dnt",
                                          "traceparent",
                                          "tracestate",
                                          "x-request-id",
                                          "priority",
                                          "upgrade-insecure-requests",
                                          "from",
                                          "max-forwards",
                                          "npm-command",
                                          "npm-session",
                                          "npm-scope",
                                          "npm-auth-type",
                                          "npm-in-ci",
                                          "pacote-version",
                                          "pacote-req-type",
                                          "pacote-pkg-id"};

// Fields whose names speak of a credential, or by which a response has been steered past keys that
// did not hold them: what such a field brings must not reach those who sent none.
constexpr std::string_view kTelling[] = {"auth",    "token",  "key",    "secret",     "session",
                                         "cookie",  "passw",  "jwt",    "credential", "signature",
                                         "account", "tenant", "user-id"};
constexpr std::string_view kSteering[] = {"x-forwarded", "x-original",     "x-rewrite", "x-host",
                                          "x-http-",     "x-method",       "x-real-ip", "x-client",
                                          "x-accel",     "true-client-ip", "client-ip", "cf-"};

bool is_one_callers(std::string_view lower) {
  return std::any_of(std::begin(kTelling), std::end(kTelling),
                     [&](std::string_view word) { return lower.find(word) != lower.npos; }) ||
         std::any_of(std::begin(kSteering), std::end(kSteering),
                     [&](std::string_view start) { return lower.starts_with(start); });
}

// RFC 9110 5.1: what we do not know is forwarded, but for conditions and ranges, which are ours to
// answer, and for what tells one caller from another.
bool forwarded_unknown(std::string_view lower) {
  return !lower.starts_with("if-") && lower != "range" && lower != "cache-control" &&
         lower != "pragma" && !is_one_callers(lower);
}

bool negotiates(std::string_view name) {
  return among(kSelecting, name) || iequals(name.substr(0, 8), "sec-ch-");
}

void add_ours(http::Headers& headers, const OriginConfig& config) {
  if (!config.service_auth.empty()) headers.set("Authorization", config.service_auth);
  headers.add("Via", "1.1 tanggul");
  headers.add("CDN-Loop", "tanggul");
}

}  // namespace

http::Headers shared_headers(const http::RequestHead& request, const registry::Plan& plan,
                             const std::vector<std::string>& vary, bool keyed_by_credential,
                             const OriginConfig& config) {
  http::Headers out = plan.headers;
  for (const auto& h : request.headers) {
    const std::string lower = to_lower(h.name);
    const bool selects = std::find(vary.begin(), vary.end(), lower) != vary.end();
    const bool credential = keyed_by_credential && lower == "authorization";
    const bool negotiated = !plan.fixed_headers && (negotiates(h.name) || selects);
    if (http::is_hop_by_hop(h.name) || among(kOfTheHop, h.name)) continue;
    const bool unknown =
        config.all_request_headers && !plan.fixed_headers && forwarded_unknown(lower);
    if (negotiated || credential || unknown) out.add(h.name, h.value);
  }
  add_ours(out, config);
  return out;
}

std::vector<std::string> selecting(std::vector<std::string> vary) {
  std::erase_if(vary, [](const std::string& name) {
    return among(kOfTheHop, name) || http::is_hop_by_hop(name);
  });
  return vary;
}

std::vector<std::string> unselecting(const http::Headers& sent) {
  std::vector<std::string> names;
  for (const auto& h : sent)
    if (!negotiates(h.name) && !among(kOfTheHop, h.name) && !among(kNoMatter, h.name) &&
        !iequals(h.name, "authorization"))
      names.push_back(to_lower(h.name));
  return names;
}

http::Headers own_headers(const http::RequestHead& request, const OriginConfig& config) {
  http::Headers out;
  for (const auto& h : request.headers)
    if (!among(kOfTheHop, h.name)) out.add(h.name, h.value);
  http::strip_hop_by_hop(out);
  add_ours(out, config);
  return out;
}

bool withheld(const http::RequestHead& request, const OriginConfig& config) {
  return std::any_of(request.headers.begin(), request.headers.end(), [&](const auto& h) {
    if (negotiates(h.name) || among(kOfTheHop, h.name) || among(kNoMatter, h.name) ||
        http::is_hop_by_hop(h.name))
      return false;
    if (config.all_request_headers && forwarded_unknown(to_lower(h.name))) return false;
    return !(iequals(h.name, "cookie") && config.kind->is_registry()) &&
           !iequals(h.name, "authorization");
  });
}

}  // namespace tanggul::shield
