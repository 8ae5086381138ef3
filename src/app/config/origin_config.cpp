#include "app/config/origin_config.h"

#include <algorithm>

#include "app/config/kinds.h"
#include "app/config/origin_policies.h"
#include "app/config/sql_origin.h"
#include "app/config/url.h"

namespace tanggul::app {
namespace {

void read_kind(Section& s, OriginSettings& settings) {
  std::string kind;
  if (!s.string("kind", kind)) return;
  settings.kind = kind;
  const auto& known = known_kinds();
  if (std::find(known.begin(), known.end(), kind) == known.end()) {
    const std::string_view near = nearest(kind, known);
    s.wrong("kind", near.empty()
                        ? fmt::format("is no kind; write one of {}", fmt::join(known, ", "))
                        : fmt::format("is no kind; did you mean {}?", near));
  } else if (kind != "sql" && make_kind(kind, {}) == nullptr) {
    s.wrong("kind", "is a kind that this version does not have; it has npm, generic and sql");
  }
}

// An empty result is an error that has been told.
std::string checked_mount(Section& s, std::string mount) {
  constexpr std::string_view kForbidden = " ?#%\\\"'<>";
  if (mount.find_first_of("{}") != std::string::npos) {
    s.wrong("mount", "is a template, which only kind sql has; write a path like /npm/");
    return {};
  }
  const bool printable =
      std::all_of(mount.begin(), mount.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!mount.ends_with('/')) mount += '/';
  if (mount.front() != '/' || !printable || mount.find_first_of(kForbidden) != std::string::npos ||
      mount.find("//") != std::string::npos || mount.find("/./") != std::string::npos ||
      mount.find("/../") != std::string::npos) {
    s.wrong("mount", "is no mount; write a path like /npm/");
    return {};
  }
  if (mount.starts_with("/.tanggul/")) {
    s.wrong("mount", "lies below /.tanggul/, which is ours; write another path");
    return {};
  }
  return mount;
}

void read_upstreams(Section& s, OriginDraft& draft) {
  if (!s.has("upstream")) return s.know("upstream");
  const std::vector<std::string> texts = s.strings("upstream");
  draft.config.upstreams.clear();
  std::optional<std::string> authorization;
  for (const std::string& text : texts) {
    const Read<Url> url = read_url(text);
    if (!url.value) {
      s.error("upstream", fmt::format("\"{}\" {}", mask_userinfo(text), url.wrong));
      continue;
    }
    if (authorization.value_or(url.value->authorization) != url.value->authorization) {
      s.error("upstream", "its URLs carry different credentials; give all of them the same");
    }
    authorization = url.value->authorization;
    draft.config.upstreams.push_back({url.value->base(), url.value->path});
  }
  if (!authorization || (authorization->empty() && !draft.settings.header_env.empty())) return;
  draft.config.service_auth = *authorization;
  draft.settings.header_env.clear();
}

void read_auth(Section& s, OriginDraft& draft) {
  const auto& entries = s.entries();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [](const YamlEntry& e) { return e.key == "auth"; });
  const bool in_url = !draft.config.service_auth.empty() && draft.settings.header_env.empty();
  if (entry == entries.end() || entry->value.type == YamlNode::Type::scalar) {
    std::string auth;
    if (!s.string("auth", auth)) return;
    if (auth == "service") {
      s.wrong("auth", "names no credential; write { service: { header_env: NAME } }");
    } else if (auth != "passthrough") {
      s.wrong("auth",
              "is none of its values; write passthrough or "
              "{ service: { header_env: NAME } }");
    } else if (in_url) {
      s.wrong("auth", "contradicts the credential in upstream; leave one of them out");
    } else {
      draft.settings.header_env.clear();
      draft.config.service_auth.clear();
    }
    return;
  }
  Section auth = s.section("auth");
  Section service = auth.section("service");
  std::string name;
  if (!service.string("header_env", name)) {
    if (!service.has("header_env")) {
      s.error("auth", "names no credential; write { service: { header_env: NAME } }");
    }
  } else if (in_url) {
    s.error("auth", "contradicts the credential in upstream; leave one of them out");
  } else if (const auto value = s.report().environment(name); !value || value->empty()) {
    service.wrong("header_env",
                  "is not set in the environment; set it to the Authorization header "
                  "that the origin expects");
  } else if (std::any_of(value->begin(), value->end(),
                         [](unsigned char c) { return c < ' ' || c == 0x7f; })) {
    service.wrong("header_env",
                  "holds a line break or another control character; a header has "
                  "none");
  } else {
    draft.settings.header_env = name;
    draft.config.service_auth = *value;
  }
  service.finish();
  auth.finish();
}

void refuse_sql_keys(Section& s) {
  for (const std::string_view key : {"database", "query", "rows", "params", "pool", "notify"}) {
    if (!s.has(key)) continue;
    s.know(key);
    s.error(key, "is a key of kind sql alone; leave it out");
  }
}

}  // namespace

void read_origin(Section& s, OriginDraft& draft) {
  read_kind(s, draft.settings);
  std::string mount;
  if (s.string("mount", mount)) {
    if (draft.settings.kind == "sql") {
      draft.settings.sql.mount = std::move(mount);
    } else {
      draft.config.mount = checked_mount(s, std::move(mount));
    }
  }
  read_upstreams(s, draft);
  read_auth(s, draft);
  read_policies(s, draft);
  if (draft.settings.kind == "sql") {
    read_sql(s, draft);
  } else {
    refuse_sql_keys(s);
  }
  s.finish();
}

void complete_origin(Section& s, OriginDraft& draft) {
  shield::OriginConfig& config = draft.config;
  if (draft.settings.kind.empty()) {
    if (!s.has("kind")) s.error("kind", "is missing; write one, npm, generic or sql");
    return;
  }
  if (draft.settings.kind == "sql") {
    complete_sql(s, draft);
  } else {
    config.kind = make_kind(draft.settings.kind, draft.settings.key);
  }
  if (config.kind == nullptr) return;  // told
  complete_policies(draft);
  if (config.mount.empty() && !s.has("mount")) config.mount = fmt::format("/{}/", config.name);
  if (config.upstreams.empty() && (!s.has("upstream") || s.strings("upstream").empty())) {
    s.error("upstream", "is missing; write the URL that this origin stands for");
  }
  config.key_patterns = config.kind->patterns(config.name);
  if (!draft.settings.key_pattern.empty()) {
    std::fill(config.key_patterns.begin(), config.key_patterns.end(), draft.settings.key_pattern);
  }
}

}  // namespace tanggul::app
