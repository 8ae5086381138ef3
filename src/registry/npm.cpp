#include "registry/npm.h"

#include "base/bytes.h"
#include "registry/integrity.h"
#include "registry/npm_packument.h"
#include "registry/npm_path.h"

namespace tanggul::registry {
namespace {

using What = NpmPath::What;

constexpr std::string_view kAbbreviated = "application/vnd.npm.install-v1+json";
// What npm itself sends; an upstream without the abbreviated form answers with the full one.
constexpr std::string_view kAcceptAbbreviated =
    "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

bool reads(const http::RequestHead& request) noexcept {
  return request.method == "GET" || request.method == "HEAD";
}

// Whether a member of Accept is the abbreviated form with a weight over 0 (RFC 9110 12.4.2).
bool names_abbreviated(std::string_view member) noexcept {
  const auto semicolon = std::min(member.find(';'), member.size());
  if (!iequals(trim(member.substr(0, semicolon)), kAbbreviated)) return false;
  member.remove_prefix(semicolon);
  while (!member.empty()) {
    member.remove_prefix(1);
    const auto end = std::min(member.find(';'), member.size());
    const std::string_view parameter = trim(member.substr(0, end));
    if (iequals(parameter.substr(0, 2), "q="))
      return parameter.find_first_of("123456789", 2) != std::string_view::npos;
    member.remove_prefix(end);
  }
  return true;
}

bool wants_abbreviated(const http::RequestHead& request) noexcept {
  for (const auto& h : request.headers) {
    if (!iequals(h.name, "accept")) continue;
    std::string_view left = h.value;
    while (!left.empty()) {
      const auto end = std::min(left.find(','), left.size());
      if (names_abbreviated(left.substr(0, end))) return true;
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  return false;
}

void append_document_key(const NpmPath& path, std::string_view form, std::string_view base,
                         std::string& key) {
  append_plain(path.package, key);
  if (path.what == What::manifest) key.append("/").append(path.tail);
  key.append(path.suffix).append("\x1f").append(form).append("\x1f").append(base);
}

std::string_view accept_of(What what, const http::RequestHead& request) noexcept {
  if (what == What::tarball || what == What::other) return "*/*";
  if (what == What::packument && wants_abbreviated(request)) return kAcceptAbbreviated;
  return "application/json";
}

class Npm final : public Kind {
 public:
  enum Pattern : std::size_t { packument, tarball, other };

  std::string_view name() const override { return "npm"; }
  std::string probe_target() const override { return "/-/ping"; }
  std::string client_line(std::string_view mount) const override {
    return "npm config set registry " + std::string(mount);
  }
  std::vector<std::string> patterns(std::string_view origin) const override {
    return {"packument", "tarball", std::string(origin)};
  }

  // No target holds a \x1f, so a document's key is never that of another resource.
  Classified classify(const http::RequestHead& request, std::string_view rest,
                      std::string_view base, std::string& key) const override {
    const NpmPath path = parse_npm_path(rest);
    Classified what;
    what.pattern = other;
    what.resource = policy::ResourceClass::metadata;
    if (!reads(request) || path.what == What::own || path.writes) {
      what.resource = policy::ResourceClass::generic;
      key += rest;
      return what;
    }
    what.way = Classified::Way::cached;
    switch (path.what) {
      case What::packument:
      case What::manifest: {
        const bool short_form = path.what == What::packument && wants_abbreviated(request);
        what.document = true;
        what.pattern = packument;
        append_document_key(path, short_form ? "abbreviated" : "full", base, key);
        break;
      }
      case What::tarball:
        what.resource = policy::ResourceClass::immutable;
        what.pattern = tarball;
        append_plain(path.package, key);
        key.append("/-/").append(path.tail).append(path.suffix);
        break;
      case What::other:
        what.resource = policy::ResourceClass::generic;
        key += rest;
        break;
      case What::shared:
      case What::own:
        key += rest;
        break;
    }
    return what;
  }

  // The headers are ours for all that is cached: whatever else of a request could select a form
  // would have to be in the key.
  Plan plan(const http::RequestHead& request, std::string_view rest,
            const Classified& what) const override {
    const NpmPath path = parse_npm_path(rest);
    Plan plan;
    plan.fixed_headers = what.way == Classified::Way::cached;
    if (path.what == What::packument) {
      append_escaped(path.package, plan.target);
    } else if (path.what == What::manifest && plan.fixed_headers) {
      append_escaped(path.package, plan.target);
      plan.target.append("/").append(path.tail);
    } else if (path.what == What::tarball && plan.fixed_headers) {
      append_plain(path.package, plan.target);
      plan.target.append("/-/").append(path.tail);
    }
    if (plan.target.empty()) {
      plan.target = rest;
    } else {
      plan.target += path.suffix;
    }
    if (plan.fixed_headers) plan.headers.add("Accept", accept_of(path.what, request));
    return plan;
  }

  Result<Rewritten> rewrite(std::string_view body, std::string_view rest, std::string_view base,
                            std::string_view upstream) const override {
    const NpmPath path = parse_npm_path(rest);
    if (path.what != What::packument && path.what != What::manifest) return Errc::internal;
    return rewrite_npm_document(body, path, base, upstream);
  }

  // Of a tarball asked for with a query no document speaks.
  DigestSource digest_source(std::string_view rest, std::string_view base) const override {
    const NpmPath path = parse_npm_path(rest);
    DigestSource source;
    if (path.what != What::tarball || !path.suffix.empty()) return source;
    const NpmPath document{What::packument, path.package};
    for (const std::string_view form : {"abbreviated", "full"})
      append_document_key(document, form, base, source.keys.emplace_back());
    source.file = file_of(path.tail);
    return source;
  }

  std::optional<Expected> expected(std::string_view integrity,
                                   std::string_view sha1) const override {
    if (auto strongest = parse_integrity(integrity)) return strongest;
    return parse_shasum(sha1);
  }

  std::vector<std::string> written(std::string_view rest) const override {
    const auto package = written_package(rest);
    if (!package) return {};
    std::string name;
    append_plain(*package, name);
    return {name + "\x1f", name + "?", name + "/"};
  }

  bool is_registry() const override { return true; }
  std::vector<std::string> credential_headers() const override { return {"npm-otp"}; }
};

}  // namespace

std::unique_ptr<Kind> make_npm() { return std::make_unique<Npm>(); }

}  // namespace tanggul::registry
