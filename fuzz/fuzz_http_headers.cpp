#include <algorithm>
#include <cstdint>

#include "base/bytes.h"
#include "check.h"
#include "http/conditional.h"
#include "http/date.h"
#include "http/prefer.h"
#include "http/range.h"
#include "http/repr_digest.h"
#include "http/retry_after.h"
#include "http/target.h"
#include "http/targeted.h"
#include "http/vary.h"
#include "tanggul/http/cache_control.h"

using namespace tanggul;

namespace {

constexpr WallTime kNow{std::chrono::seconds(1'700'000'000)};

void dates(std::string_view text) {
  const auto date = http::parse_date(text, kNow);
  if (date) FUZZ_CHECK(http::parse_date(http::format_date(*date), kNow) == *date);
  if (const auto wait = http::parse_retry_after(text, kNow))
    FUZZ_CHECK(*wait >= 0s && *wait <= 24h);
}

void lists(std::string_view text) {
  for (const auto member : http::list_members(text)) {
    FUZZ_CHECK(!member.empty() && trim(member) == member);
    FUZZ_CHECK(member.data() >= text.data());
    FUZZ_CHECK(member.data() + member.size() <= text.data() + text.size());
  }
  const auto cc = http::parse_cache_control(text);
  for (const auto& age : {cc.max_age, cc.s_maxage, cc.stale_while_revalidate, cc.stale_if_error})
    FUZZ_CHECK(!age || *age >= 0s);
}

void ranges(std::string_view text, ByteCount length) {
  if (const auto specs = http::parse_range(text)) {
    FUZZ_CHECK(!specs->empty() && specs->size() <= http::kMostRanges);
    ByteCount before = 0;
    for (const auto& range : http::resolve(*specs, length)) {
      FUZZ_CHECK(range.size > 0 && range.first >= before && range.end() <= length);
      before = range.end();
    }
  }
  if (const auto part = http::parse_content_range(text))
    FUZZ_CHECK(!part->complete || part->range.end() <= *part->complete);
  if (const auto directives = http::targeted_directives(text))
    http::parse_cache_control(*directives);
}

void digests(std::string_view text) {
  if (const auto sum = http::sha256_of_repr_digest(text))
    FUZZ_CHECK(http::sha256_of_repr_digest(http::write_repr_digest(*sum)) == *sum);
}

void vary(std::string_view text, std::string_view value) {
  http::Headers response;
  response.add("Vary", text);
  const auto names = http::vary_names(response);
  FUZZ_CHECK(std::is_sorted(names.begin(), names.end()));
  FUZZ_CHECK(names.size() <= http::kMostVaryNames);
  http::RequestHead as_view;
  http::Headers as_owner;
  for (const auto& name : names) {
    as_view.headers.push_back({name, value});
    as_owner.add(name, value);
  }
  FUZZ_CHECK(http::vary_values(names, as_view) == http::vary_values(names, as_owner));
}

void requests(std::string_view name, std::string_view value) {
  http::Headers stored;
  stored.add("ETag", value);
  stored.add("Last-Modified", value);
  http::RequestHead request;
  request.method = "GET";
  for (const std::string_view field : {"if-none-match", "if-match", "if-modified-since",
                                       "if-unmodified-since", "prefer", "cache-control", "pragma"})
    request.headers.push_back({field, name});
  http::evaluate(request, 200, stored);
  http::request_cache_control(request);
  if (const auto wait = http::prefer_wait(request)) FUZZ_CHECK(*wait >= 0s);
  if (http::etag_matches_strong(name, value)) FUZZ_CHECK(http::etag_matches_weak(name, value));
}

void targets(std::string_view text) {
  const auto target = http::split_target(text);
  FUZZ_CHECK(target.path.size() + target.query.size() + (target.has_query ? 1 : 0) == text.size());
  const auto sorted = http::sort_query(target.query);
  FUZZ_CHECK(http::sort_query(sorted) == sorted && sorted.size() == target.query.size());
  FUZZ_CHECK(http::drop_query(target.query, {"a", ""}).size() <= target.query.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const auto cut = std::min(all.find('\n'), all.size());
  const std::string_view first = all.substr(0, cut), second = all.substr(cut);
  dates(first);
  lists(first);
  digests(first);
  ranges(first, second.size() * second.size());
  vary(first, second);
  requests(first, second.substr(std::min<std::size_t>(1, second.size())));
  targets(first);
  return 0;
}
