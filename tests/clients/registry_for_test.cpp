#include "clients/registry_for_test.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/digest.h"

namespace tanggul::test {
namespace {

namespace json = boost::json;

constexpr std::string_view kAbbreviated = "application/vnd.npm.install-v1+json";

// One file as POSIX ustar has it.
std::string tar_member(const std::string& name, const std::string& text) {
  std::string head(512, '\0');
  const auto put = [&](std::size_t at, std::string_view value) {
    head.replace(at, value.size(), value);
  };
  const auto octal = [](std::size_t value, int digits) {
    char out[24];
    std::snprintf(out, sizeof out, "%0*zo", digits, value);
    return std::string(out);
  };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, octal(text.size(), 11));
  put(136, octal(499162500, 11));  // npm's own date for files it packs
  put(148, "        ");
  put(156, "0");
  put(257, std::string_view("ustar\00000", 8));
  std::size_t sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + '\0' + ' ');
  return head + text + std::string((512 - text.size() % 512) % 512, '\0');
}

json::object manifest(const std::string& name, const std::string& version,
                      const Dependencies& needs) {
  json::object out{{"name", name}, {"version", version}};
  json::object dependencies;
  for (const auto& [package, range] : needs) dependencies[package] = range;
  if (!needs.empty()) out["dependencies"] = std::move(dependencies);
  return out;
}

std::string make_tarball(const std::string& name, const std::string& version,
                         const Dependencies& needs) {
  json::object package = manifest(name, version, needs);
  package["main"] = "index.js";
  return gzipped(tar_member("package/package.json", json::serialize(package)) +
                 tar_member("package/index.js", "module.exports = '" + name + "@" + version +
                                                    "'\n// " + std::string(2000, 'x') + "\n") +
                 std::string(1024, '\0'));
}

// "name-1.0.0.tgz"; a scoped package's files do not carry the scope.
std::string file_name(const std::string& name, const std::string& version) {
  return name.substr(name.find('/') + 1) + "-" + version + ".tgz";
}

std::string decoded(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto byte = path[i] == '%' ? from_hex(path.substr(i + 1, 2)) : std::nullopt;
    out += byte ? *byte : std::string(1, path[i]);
    if (byte) i += 2;
  }
  return out;
}

Script json_script(int status, const json::value& body) {
  Script s;
  s.status = status;
  s.headers = {{"Content-Type", "application/json"}};
  s.body = json::serialize(body);
  return s;
}

Script not_found() { return json_script(404, {{"error", "Not found"}}); }

std::string token_of(const SeenRequest& request) {
  const std::string value(request.headers.find("authorization").value_or(""));
  return value.starts_with("Bearer ") ? value.substr(7) : "";
}

bool wants(const SeenRequest& request, std::string_view header, std::string_view what) {
  return request.headers.joined(header).find(what) != std::string::npos;
}

}  // namespace

RegistryForTest::RegistryForTest(std::string path) : path_(std::move(path)) {
  Script all;
  all.dynamic = [this](const SeenRequest& request) { return respond(request); };
  origin_.set_default(std::move(all));
}

void RegistryForTest::add(const std::string& name, const std::string& version, Dependencies needs) {
  std::string tarball = make_tarball(name, version, needs);
  const Lock lock(mutex_);
  TestPackage& package = packages_[name];
  package.latest = version;
  package.versions[version] = {std::move(needs), std::move(tarball)};
}

void RegistryForTest::add_versions(const std::string& name, int count) {
  for (int i = 0; i < count; ++i) add(name, "1.0." + std::to_string(i));
}

void RegistryForTest::make_private(const std::string& name,
                                   std::map<std::string, std::string> owner_of_token) {
  const Lock lock(mutex_);
  private_[name] = std::move(owner_of_token);
}

void RegistryForTest::set_packument_cache_control(std::string value) {
  const Lock lock(mutex_);
  cache_control_ = std::move(value);
}
void RegistryForTest::set_tarball_base(std::string url) {
  const Lock lock(mutex_);
  tarball_base_ = std::move(url);
}
void RegistryForTest::set_corrupt_tarballs(bool corrupt) {
  const Lock lock(mutex_);
  corrupt_ = corrupt;
}
void RegistryForTest::set_failure(int status) {
  const Lock lock(mutex_);
  failure_ = status;
}

std::vector<std::string> RegistryForTest::paths_of(const std::string& name) const {
  const Lock lock(mutex_);
  std::string escaped = name;
  if (const auto slash = escaped.find('/'); slash != std::string::npos)
    escaped.replace(slash, 1, "%2f");
  return {path_ + "/" + escaped,
          path_ + "/" + name + "/-/" + file_name(name, packages_.at(name).latest)};
}

std::string RegistryForTest::tarball(const std::string& name, const std::string& version) const {
  const Lock lock(mutex_);
  return packages_.at(name).versions.at(version).tarball;
}

std::uint64_t RegistryForTest::revalidations() const {
  const Lock lock(mutex_);
  return revalidations_;
}

std::vector<SeenRequest> RegistryForTest::seen(std::string_view method,
                                               std::string_view path) const {
  std::vector<SeenRequest> out = origin_.seen();
  std::erase_if(out, [&](const SeenRequest& r) {
    return r.method != method || r.target.substr(0, r.target.find('?')) != path;
  });
  return out;
}

Script RegistryForTest::respond(const SeenRequest& request) {
  const Lock lock(mutex_);
  if (failure_ != 0) return json_script(failure_, {{"error", "out of order"}});
  if (!request.target.starts_with(path_ + "/")) return not_found();
  const std::string path =
      decoded(request.target.substr(path_.size(), request.target.find('?') - path_.size()));
  if (path.starts_with("/-/")) return own(request, path);
  const auto dash = path.find("/-/");
  const std::string name = path.substr(1, dash == std::string::npos ? dash : dash - 1);
  if (request.method == "PUT") return publish(request, name);
  if (!packages_.contains(name)) return not_found();
  if (dash != std::string::npos) return tarball_script(name, path.substr(dash + 3));
  return packument(request, name);
}

std::string RegistryForTest::document(const std::string& name, bool full,
                                      const std::string& owner) const {
  const TestPackage& package = packages_.at(name);
  json::object versions, time;
  for (const auto& [version, v] : package.versions) {
    json::object m = manifest(name, version, v.dependencies);
    const std::string base = tarball_base_.empty() ? url() + "/" + name + "/-" : tarball_base_;
    m["dist"] = {{"tarball", base + "/" + file_name(name, version)},
                 {"integrity", "sha512-" + to_base64(Digest::of(DigestKind::sha512, v.tarball))},
                 {"shasum", to_hex(Digest::of(DigestKind::sha1, v.tarball))}};
    // About as much as a real version says beside its dist.
    if (full) m["scripts"] = {{"test", std::string(400, 't')}};
    versions[version] = std::move(m);
    time[version] = "2024-01-01T00:00:00.000Z";
  }
  json::object out{{"name", name}, {"dist-tags", {{"latest", package.latest}}}};
  out["versions"] = std::move(versions);
  if (!full) {
    out["modified"] = "2024-01-01T00:00:00.000Z";
    return json::serialize(out);
  }
  out["_id"] = name;
  out["time"] = std::move(time);
  out["description"] = "owned by " + (owner.empty() ? "everybody" : owner);
  out["readme"] = "# " + name;
  return json::serialize(out);
}

Script RegistryForTest::packument(const SeenRequest& request, const std::string& name) {
  std::string owner;
  if (const auto p = private_.find(name); p != private_.end()) {
    const auto known = p->second.find(token_of(request));
    if (known == p->second.end()) return not_found();
    owner = known->second;
  }
  const bool full = !wants(request, "accept", kAbbreviated);
  const bool gzip = wants(request, "accept-encoding", "gzip");
  Script s;
  s.body = document(name, full, owner);
  s.etag = "W/\"" + to_hex(Digest::of(DigestKind::sha1, s.body)) + "\"";
  s.headers = {{"Content-Type", full ? "application/json" : std::string(kAbbreviated)},
               {"Cache-Control", cache_control_}};
  if (matches_etag(s, request.headers)) {
    ++revalidations_;
    s.headers.emplace_back("Vary", "Accept-Encoding");
    return s;
  }
  s.headers.emplace_back("Vary", "Accept, Accept-Encoding");
  if (gzip) {
    s.headers.emplace_back("Content-Encoding", "gzip");
    s.body = gzipped(s.body);
  }
  return s;
}

Script RegistryForTest::tarball_script(const std::string& name, std::string_view file) const {
  for (const auto& [version, v] : packages_.at(name).versions) {
    if (file_name(name, version) != file) continue;
    Script s;
    s.body = v.tarball;
    if (corrupt_) s.body[s.body.size() / 2] ^= 1;
    s.etag = "\"" + to_hex(Digest::of(DigestKind::md5, s.body)) + "\"";
    s.headers = {{"Content-Type", "application/octet-stream"},
                 {"Cache-Control", "public, immutable, max-age=31557600"}};
    return s;
  }
  return not_found();
}

// The body as npm sends it: the versions to add, each file in base64 under _attachments.
Script RegistryForTest::publish(const SeenRequest& request, const std::string& name) {
  boost::system::error_code ec;
  const json::value body = json::parse(request.body, ec);
  if (ec || token_of(request).empty()) return json_script(401, {{"error", "who are you?"}});
  for (const auto& [version, _] : body.at("versions").as_object()) {
    const json::object& files = body.at("_attachments").as_object();
    const auto bytes = from_base64(files.begin()->value().at("data").as_string());
    packages_[name].versions[version] = {{}, bytes.value_or("")};
    packages_[name].latest = version;
  }
  return json_script(201, {{"ok", true}});
}

// What belongs to no package, as the registry's API lists it.
Script RegistryForTest::own(const SeenRequest& request, std::string_view path) const {
  constexpr std::string_view kPackage = "/-/package/", kTags = "/dist-tags";
  if (path == "/-/whoami") {
    const std::string token = token_of(request);
    return token.empty() ? json_script(401, {{"error", "who are you?"}})
                         : json_script(200, {{"username", "owner-of-" + token}});
  }
  if (path == "/-/v1/search")
    return json_script(200, {{"objects", json::array()}, {"total", 0}, {"time", "now"}});
  if (request.method == "POST" &&
      (path == "/-/npm/v1/security/advisories/bulk" || path == "/-/npm/v1/security/audits/quick"))
    return json_script(200, json::object());
  if (path.starts_with(kPackage) && path.ends_with(kTags)) {
    path = path.substr(kPackage.size(), path.size() - kPackage.size() - kTags.size());
    const auto found = packages_.find(std::string(path));
    if (found != packages_.end()) return json_script(200, {{"latest", found->second.latest}});
  }
  return not_found();
}

}  // namespace tanggul::test
