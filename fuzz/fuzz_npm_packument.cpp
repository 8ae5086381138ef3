#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>

#include "check.h"
#include "registry/npm.h"
#include "registry/npm_path.h"

using namespace tanggul;

namespace {

constexpr std::string_view kBase = "http://cache.test/npm", kUpstream = "https://r.test/npm";

void paths(const registry::Kind& npm, std::string_view rest) {
  for (const std::string_view method : {"GET", "PUT"}) {
    http::RequestHead request;
    request.method = method;
    request.headers.push_back({"accept", rest});
    std::string key;
    const auto what = npm.classify(request, rest, kBase, key);
    const auto plan = npm.plan(request, rest, what);
    // Only "%40" and "%2f" are ever spelt anew; the target never gains a dot, or much of anything.
    const auto dots = [](std::string_view s) { return std::count(s.begin(), s.end(), '.'); };
    FUZZ_CHECK(dots(plan.target) == dots(rest));
    FUZZ_CHECK(plan.target.size() <= rest.size() + 2);
    FUZZ_CHECK(!what.document || what.way == registry::Classified::Way::cached);
    FUZZ_CHECK(!what.document || plan.target.starts_with('/'));
  }
  npm.digest_source(rest, kBase);
}

void documents(const registry::Kind& npm, std::string_view rest, std::string_view body) {
  const auto made = npm.rewrite(body, rest, kBase, kUpstream);
  if (!made) return;
  const auto by_file = [](const auto& a, const auto& b) { return a.file < b.file; };
  FUZZ_CHECK(std::is_sorted(made->digests.begin(), made->digests.end(), by_file));
  const auto again = npm.rewrite(made->body, rest, kBase, kUpstream);
  FUZZ_CHECK(again && again->body == made->body);
  boost::json::error_code before, after;
  boost::json::parse(boost::json::string_view(body.data(), body.size()), before);
  boost::json::parse(made->body, after);
  FUZZ_CHECK(before || !after);  // a broken fragment goes with its fragment
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto npm = registry::make_npm();
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const auto cut = std::min(all.find('\n'), all.size());
  const std::string_view first = all.substr(0, cut);
  paths(*npm, first);
  documents(*npm, first, all.substr(std::min(cut + 1, all.size())));
  documents(*npm, "/@s%2fn", all);
  documents(*npm, "/n/latest", all);
  if (const auto expected = npm->expected(all, first)) {
    const auto bytes = expected->value.size();
    FUZZ_CHECK(bytes == 20 || bytes == 32 || bytes == 48 || bytes == 64);
  }
  return 0;
}
