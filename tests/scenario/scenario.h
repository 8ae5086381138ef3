#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/eventually.h"
#include "support/http_client.h"
#include "support/raw_exchange.h"
#include "support/scripted_origin.h"
#include "support/tanggul_process.h"

namespace tanggul::test {

// A shield with one generic origin "o" at /o/. `keys` are further YAML lines of that origin, each
// indented by four spaces.
inline std::string generic_yaml(const ScriptedOrigin& origin, std::string_view keys = "",
                                std::string_view top = "") {
  std::string yaml(top);
  yaml += "access_log: text\norigins:\n  o:\n    kind: generic\n    mount: /o/\n    upstream: ";
  yaml += origin.url();
  yaml += "\n";
  yaml += keys;
  return yaml;
}

inline Script body_of(std::uint64_t size, std::string_view cache_control = "max-age=3600") {
  Script s;
  s.generated_size = size;
  s.headers = {{"Cache-Control", std::string(cache_control)},
               {"Content-Type", "application/octet-stream"}};
  return s;
}

inline Script failing(int status, Duration delay = {}) {
  Script s;
  s.status = status;
  s.body = "the origin's own words";
  s.delay_head = delay;
  return s;
}

inline Script faulty(Fault fault, std::uint64_t size = 0) {
  Script s = body_of(size == 0 ? 1000 : size);
  s.fault = fault;
  return s;
}

inline bool is_problem(const ClientResult& r) {
  return r.headers.find("content-type").value_or("") == "application/problem+json" &&
         r.body.find("\"type\":\"urn:tanggul:problem:") != std::string::npos;
}

inline Duration slowest(const std::vector<ClientResult>& results) {
  Duration most{};
  for (const auto& r : results) most = std::max(most, r.total);
  return most;
}

inline std::size_t with_status(const std::vector<ClientResult>& results, int status) {
  return count_if(results, [&](const ClientResult& r) { return r.status == status; });
}

inline std::size_t coalesced(const std::vector<ClientResult>& results) {
  return count_if(results,
                  [](const ClientResult& r) { return r.headers.has("x-cache-coalesced"); });
}

// At the end of every scenario: no exception has ended a session, no flight is left.
inline void expect_calm(const TanggulProcess& shield) {
  EXPECT_EQ(shield.metric("tanggul_uncaught_total"), 0);
  EXPECT_EQ(shield.metric("tanggul_flights"), 0);
}

}  // namespace tanggul::test
