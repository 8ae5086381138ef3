#include "registry/sql/kind.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/bytes.h"
#include "http/target.h"
#include "registry/sql/values.h"

namespace tanggul::registry::sql {
namespace {

namespace json = boost::json;

// A part of a query as its sender meant it: a plus is a blank there.
bool decode(std::string_view raw, bool in_query, std::string& out) {
  out = raw;
  if (in_query) std::replace(out.begin(), out.end(), '+', ' ');
  if (out.find('%') == std::string::npos) return true;
  auto decoded = from_percent(out);
  if (!decoded) return false;
  out = std::move(*decoded);
  return true;
}

class Sql final : public Kind {
 public:
  explicit Sql(Mount mount) : mount_(std::move(mount)) {
    // Which parameter each placeholder is.
    for (const std::string& name : mount_.path.names())
      for (std::size_t i = 0; i < mount_.parameters.size(); ++i)
        if (mount_.parameters[i].in_path && mount_.parameters[i].name == name)
          of_path_.push_back(i);
  }

  std::string_view name() const override { return "sql"; }
  std::vector<std::string> patterns(std::string_view origin) const override {
    return {std::string(origin)};
  }

  std::size_t serves(std::string_view rest) const noexcept override {
    http::PathTemplate::Segments segments;
    return mount_.path.match(rest.substr(0, rest.find('?')), segments) ? 1 + mount_.path.literal()
                                                                       : 0;
  }

  Classified classify(const http::RequestHead& request, std::string_view rest, std::string_view,
                      std::string& key) const override {
    Classified what;
    what.resource = policy::ResourceClass::immutable;  // for as long as `ttl` says
    what.way = Classified::Way::refused;
    if (request.method != "GET" && request.method != "HEAD") return what;
    thread_local Values values;  // keeps its memory from request to request
    if (!read(rest, values, nullptr)) return what;
    what.way = Classified::Way::cached;
    append_key(values, key);
    return what;
  }

  Refusal refusal(const http::RequestHead& request, std::string_view rest) const override {
    if (request.method != "GET" && request.method != "HEAD")
      return {405, "method", "This can only be read", "the methods are GET and HEAD", "GET, HEAD"};
    Values values;
    std::string wrong;
    read(rest, values, &wrong);
    return {400, "parameter", "A parameter is not what it must be", std::move(wrong), ""};
  }

  Plan plan(const http::RequestHead&, std::string_view rest, const Classified&) const override {
    Plan plan;
    plan.fixed_headers = true;
    Values values;
    read(rest, values, nullptr);
    plan.target = write_values(values);
    return plan;
  }

  Result<Rewritten> rewrite(std::string_view, std::string_view, std::string_view,
                            std::string_view) const override {
    return Errc::internal;  // nothing is classified as a document here
  }
  DigestSource digest_source(std::string_view, std::string_view) const override { return {}; }
  std::optional<Expected> expected(std::string_view, std::string_view) const override {
    return std::nullopt;
  }
  // As with registries, a client's cookies and credentials make no other answer, and that something
  // is not there is remembered.
  bool is_registry() const override { return true; }
  bool takes_credentials() const override { return false; }

 private:
  // False: `wrong`, where it is asked for, says what about which parameter.
  bool read(std::string_view rest, Values& values, std::string* wrong) const {
    const http::Target target = http::split_target(rest);
    http::PathTemplate::Segments segments;
    const auto refuse = [&](std::string_view name, std::string_view what) {
      if (wrong != nullptr) wrong->append(name).append(" ").append(what);
      return false;
    };
    if (!mount_.path.match(target.path, segments))
      return refuse("the path", "is not of this mount");
    values.resize(mount_.parameters.size());
    std::size_t next = 0;
    for (const std::size_t i : of_path_)
      if (!take(i, segments[next++], values[i], wrong)) return false;
    for (std::size_t i = 0; i < mount_.parameters.size(); ++i) {
      const Parameter& p = mount_.parameters[i];
      if (p.in_path) continue;
      const auto [raw, times] = find(target.query, p.name);
      if (times > 1) return refuse(p.name, "is there more than once");
      if (times == 1) {
        if (!take(i, raw, values[i], wrong)) return false;
      } else if (p.fallback) {
        values[i] = p.fallback;
      } else if (p.optional) {
        values[i].reset();
      } else {
        return refuse(p.name, "is missing from the query");
      }
    }
    return true;
  }

  Type type_at(std::size_t i) const {
    const Type named = mount_.parameters[i].type;
    return named == Type::any && mount_.inferred ? mount_.inferred->at(i) : named;
  }

  bool take(std::size_t i, std::string_view raw, std::optional<std::string>& value,
            std::string* wrong) const {
    const Parameter& p = mount_.parameters[i];
    const Type type = type_at(i);
    const auto refuse = [&](std::string_view what) {
      if (wrong != nullptr) wrong->append(p.name).append(" ").append(what);
      return false;
    };
    if (!value) value.emplace();
    // Escapes only make a value longer.
    if (raw.size() > 3 * kLongestValue) return refuse("is longer than 1 KiB");
    if (!decode(raw, !p.in_path, *value)) return refuse("has a % that escapes nothing");
    if (value->size() > kLongestValue) return refuse("is longer than 1 KiB");
    if (make_canonical(type, *value)) return true;
    if (type == Type::any || type == Type::text) return refuse("is no text: UTF-8 without NUL is");
    return refuse("is no " + std::string(sql::name(type)));
  }

  struct Found {
    std::string_view value;
    int times = 0;
  };
  static Found find(std::string_view query, std::string_view name) {
    Found found;
    while (!query.empty()) {
      const std::string_view pair = query.substr(0, query.find('&'));
      query.remove_prefix(std::min(pair.size() + 1, query.size()));
      const std::size_t equals = std::min(pair.find('='), pair.size());
      if (!same(pair.substr(0, equals), name)) continue;
      found.value = pair.substr(std::min(equals + 1, pair.size()));
      ++found.times;
    }
    return found;
  }
  static bool same(std::string_view raw, std::string_view name) {
    if (raw == name) return true;
    if (raw.find('%') == std::string_view::npos || raw.size() > 3 * name.size()) return false;
    std::string decoded;
    return decode(raw, true, decoded) && decoded == name;
  }

  void append_key(const Values& values, std::string& key) const {
    thread_local std::vector<std::string> segments;
    segments.resize(of_path_.size());
    for (std::size_t i = 0; i < of_path_.size(); ++i) {
      segments[i].clear();
      append_percent(*values[of_path_[i]], segments[i]);
    }
    mount_.path.append(segments, key);
    char before = '?';
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Parameter& p = mount_.parameters[i];
      if (p.in_path || !values[i]) continue;
      key.append(1, std::exchange(before, '&')).append(p.name).append("=");
      append_percent(*values[i], key);
    }
    if (!mount_.form.empty()) key.append("\x1f").append(mount_.form);
  }

  const Mount mount_;
  std::vector<std::size_t> of_path_;
};

// A number with a point or of more than 64 bits would not come back with its own digits.
std::optional<std::string> plain_value(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool() || value.is_int64() || value.is_uint64()) return json::serialize(value);
  return std::nullopt;
}

// The values by their parameters' names, as far as the payload tells them.
std::vector<std::optional<std::string>> values_in(const Mount& mount, std::string_view payload) {
  std::vector<std::optional<std::string>> values(mount.parameters.size());
  if (!payload.starts_with('{')) {
    for (std::size_t i = 0; i < values.size() && !mount.path.names().empty(); ++i)
      if (mount.parameters[i].name == mount.path.names().front()) values[i] = payload;
    return values;
  }
  boost::system::error_code error;
  const json::value all = json::parse(payload, error);
  if (error || !all.is_object()) return values;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const json::value* found = all.get_object().if_contains(mount.parameters[i].name))
      values[i] = plain_value(*found);
  return values;
}

}  // namespace

std::unique_ptr<Kind> make_sql(Mount mount) { return std::make_unique<Sql>(std::move(mount)); }

std::optional<Changed> changed(const Mount& mount, std::string_view payload) {
  auto values = values_in(mount, payload);
  std::vector<std::string> segments;
  bool has_query = false;
  for (const std::string& name : mount.path.names())
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Parameter& p = mount.parameters[i];
      if (!p.in_path || p.name != name) continue;
      const Type type = p.type == Type::any && mount.inferred ? mount.inferred->at(i) : p.type;
      if (!values[i] || values[i]->empty() || !make_canonical(type, *values[i]))
        return std::nullopt;
      append_percent(*values[i], segments.emplace_back());
    }
  for (const Parameter& p : mount.parameters) has_query |= !p.in_path;
  // Where nothing in the path tells one from another, everything may have changed.
  if (segments.empty()) return std::nullopt;
  Changed out;
  mount.path.append(segments, out.rest);
  out.has_queries = has_query;
  return out;
}

}  // namespace tanggul::registry::sql
