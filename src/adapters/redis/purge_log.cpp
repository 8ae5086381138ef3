#include "adapters/redis/purge_log.h"

#include <algorithm>

#include "base/bytes.h"

namespace tanggul::redis {
namespace {

using ports::PurgePlace;
using ports::SharedPurge;

std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

}  // namespace

std::optional<SharedPurge> purge_in(std::string_view text) {
  const auto sequence = parse_decimal(take_word(text)), rule = parse_decimal(take_word(text));
  if (!sequence || *sequence == 0 || !rule || *rule > 255) return std::nullopt;
  return SharedPurge{*sequence, static_cast<std::uint8_t>(*rule), std::string(text)};
}

std::optional<PurgeNews> news_in(Reply& reply, const PurgePlace& seen, bool& more) {
  more = false;
  PurgeNews news;
  news.place.epoch = reply.at(0).text;
  if (news.place.epoch.empty()) return std::nullopt;  // nobody has purged anything
  const std::uint64_t base = news.place.epoch == seen.epoch ? seen.sequence : 0;
  const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(reply.integer(1), 0));
  const bool missed = reply.integer(3) == 1;
  for (std::size_t i = 4; i < reply.items.size(); ++i) {
    auto purge = purge_in(reply.at(i).text);
    if (purge && purge->sequence > base) news.purges.push_back(std::move(*purge));
  }
  if (news.purges.empty()) {
    // The log may have lost what its head has counted.
    const bool lost = last > base && reply.items.size() <= 4;
    if (!lost && !missed && news.place.epoch == seen.epoch) return std::nullopt;
    news.place.sequence = lost ? last : base;
    news.complete = !lost && !missed;
    return news;
  }
  news.place.sequence = news.purges.back().sequence;
  news.complete = !missed && news.purges.front().sequence == base + 1;
  more = news.place.sequence < last;
  return news;
}

std::optional<PurgeNews> news_in(std::string_view message, const PurgePlace& seen, bool& gap) {
  PurgeNews news;
  news.place.epoch = take_word(message);
  auto purge = purge_in(message);
  gap = false;
  if (!purge) return std::nullopt;
  const std::uint64_t base = news.place.epoch == seen.epoch ? seen.sequence : 0;
  if (purge->sequence <= base) return std::nullopt;
  // Of a log that begins another is asked whether all of the former was seen.
  gap = purge->sequence != base + 1 || (news.place.epoch != seen.epoch && !seen.epoch.empty());
  if (gap) return std::nullopt;
  news.place.sequence = purge->sequence;
  news.purges.push_back(std::move(*purge));
  return news;
}

}  // namespace tanggul::redis
