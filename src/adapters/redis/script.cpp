#include "adapters/redis/script.h"

#include "base/bytes.h"
#include "base/digest.h"

namespace tanggul::redis {
namespace {

Encoded encoded(std::string_view how, std::string_view what, const Call& call) {
  const std::string count = std::to_string(call.keys.size());
  std::vector<std::string_view> words{how, what, count};
  words.reserve(3 + call.keys.size() + call.args.size());
  words.insert(words.end(), call.keys.begin(), call.keys.end());
  words.insert(words.end(), call.args.begin(), call.args.end());
  return Encoded(words);
}

}  // namespace

Script::Script(std::string_view lua)
    : source(lua), sha(to_hex(Digest::of(DigestKind::sha1, lua))) {}

Encoded by_digest(const Script& script, const Call& call) {
  return encoded("EVALSHA", script.sha, call);
}
Encoded by_source(const Script& script, const Call& call) {
  return encoded("EVAL", script.source, call);
}

}  // namespace tanggul::redis
