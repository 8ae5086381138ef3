#include <algorithm>
#include <cstdint>

#include "adapters/redis/codec.h"
#include "adapters/redis/limits_wire.h"
#include "adapters/redis/purge_log.h"
#include "adapters/redis/redis_cluster.h"
#include "check.h"

using namespace tanggul;
using redis::Reply;
using redis::ReplyReader;

namespace {

std::size_t items_in(const Reply& reply) {
  std::size_t n = reply.items.size();
  for (const Reply& item : reply.items) n += items_in(item);
  return n;
}

std::string written(const Reply& reply) {
  std::string out = std::to_string(static_cast<int>(reply.kind)) + reply.text + "," +
                    std::to_string(reply.number) + "(";
  for (const Reply& item : reply.items) out += written(item);
  return out + ")";
}

// All that a stream holds, fed in pieces of that size.
std::string all_in(std::string_view stream, std::size_t piece) {
  ReplyReader reader;
  std::string out;
  for (;;) {
    Reply reply;
    const auto next = reader.next(reply);
    if (next == ReplyReader::Next::reply) {
      FUZZ_CHECK(items_in(reply) <= ReplyReader::kMostItems);
      out += written(reply);
      bool more = false;
      redis::news_in(reply, {}, more);
      redis::leave_in(reply, true);
      continue;
    }
    if (next == ReplyReader::Next::broken) return out + "broken";
    if (stream.empty()) return out;
    reader.feed(stream.substr(0, piece));
    stream.remove_prefix(std::min(piece, stream.size()));
  }
}

void url(std::string_view text) {
  std::string error;
  const auto address = redis::RedisAddress::parse(text, error);
  FUZZ_CHECK(address.has_value() == error.empty());
  if (!address) return;
  FUZZ_CHECK(!address->hosts.empty());
  for (const auto& host : address->hosts) FUZZ_CHECK(!host.name.empty() && !host.port.empty());
  FUZZ_CHECK(address->master.empty() == (address->hosts.size() == 1 && text[5] == ':'));
  FUZZ_CHECK(address->user.empty() || !address->password.empty());
}

void messages(std::string_view text) {
  std::string origin, credential;
  ports::BreakerView view;
  Duration pause{};
  if (redis::read_breaker(text, origin, view)) FUZZ_CHECK(text.ends_with(origin));
  if (redis::read_pause(text, origin, credential, pause)) {
    FUZZ_CHECK(text.ends_with(credential + origin));
    FUZZ_CHECK(pause >= Duration::zero());
  }
  bool gap = false;
  const auto news = redis::news_in(text, {}, gap);
  if (news) FUZZ_CHECK(news->purges.size() == 1 && news->place.sequence == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string whole = all_in(all, size + 1);
  FUZZ_CHECK(whole == all_in(all, 1));
  url(all);
  messages(all);
  const std::string_view words[] = {all, all.substr(size / 2)};
  const redis::Encoded command(words);
  Reply reply;
  ReplyReader reader;
  reader.feed(command.bytes());
  FUZZ_CHECK(reader.next(reply) == ReplyReader::Next::reply);
  FUZZ_CHECK(reply.at(0).text == words[0] && reply.at(1).text == words[1]);
  return 0;
}
