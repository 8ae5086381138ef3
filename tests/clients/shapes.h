#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/npm_client.h"
#include "clients/registry_for_test.h"
#include "support/http_client.h"
#include "support/tanggul_process.h"

namespace tanggul::test {

inline constexpr std::string_view kAbbreviatedType = "application/vnd.npm.install-v1+json";

// The names of a tree of ten packages, three levels deep, that `fill_tree` publishes.
inline const std::vector<std::string>& tree_names() {
  static const std::vector<std::string> names = {"app-kit",    "left",   "right",  "middle",
                                                 "leaf-a",     "leaf-b", "leaf-c", "@corp/tools",
                                                 "@corp/base", "deep"};
  return names;
}

inline void fill_tree(RegistryForTest& registry) {
  registry.add("app-kit", "1.0.0", {{"left", "^1.0.0"}, {"right", "^2.0.0"}});
  registry.add("left", "1.0.0", {{"middle", "^1.0.0"}, {"leaf-a", "*"}});
  registry.add("right", "2.1.0", {{"middle", "^1.0.0"}, {"leaf-b", "~0.1.0"}});
  registry.add("middle", "1.5.0", {{"leaf-c", "1.0.0"}, {"deep", "*"}});
  for (const char* leaf : {"leaf-a", "leaf-c", "deep"}) registry.add(leaf, "1.0.0");
  registry.add("leaf-b", "0.1.7");
  registry.add("@corp/tools", "3.0.0", {{"@corp/base", "^1.0.0"}, {"leaf-a", "^1.0.0"}});
  registry.add("@corp/base", "1.0.1");
}

inline Dependencies tree_roots() { return {{"app-kit", "^1.0.0"}, {"@corp/tools", "^3.0.0"}}; }

inline void expect_each_fetched_once(RegistryForTest& registry) {
  for (const std::string& name : tree_names())
    for (const std::string& path : registry.paths_of(name))
      EXPECT_EQ(registry.origin().requests(path), 1U) << path;
  EXPECT_EQ(registry.origin().requests(), 2 * tree_names().size());
}

inline boost::json::value parsed(std::string_view text) {
  boost::system::error_code ec;
  boost::json::value out = boost::json::parse(text, ec);
  EXPECT_FALSE(ec) << text.substr(0, 300);
  return out;
}

inline std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

inline std::string output_of(const CommandResult& r) { return r.out + "\n" + r.err; }

inline std::string header(const ClientResult& r, std::string_view name) {
  return std::string(r.headers.find(name).value_or(""));
}

// Asks again and again, at most ten seconds, until the answer is as `done` wants it.
inline ClientResult ask_until(const TanggulProcess& shield, const std::string& target,
                              const HeaderList& headers,
                              const std::function<bool(const ClientResult&)>& done) {
  const MonoTime end = MonoClock::now() + 10s;
  for (;;) {
    ClientResult r = shield.get(target, headers);
    if (done(r) || MonoClock::now() >= end) return r;
  }
}

}  // namespace tanggul::test
