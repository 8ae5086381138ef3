#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/codec.h"

namespace tanggul::redis {

// A script of scripts/*.lua, and the digest by which Redis knows it once it has run.
struct Script {
  explicit Script(std::string_view lua);
  std::string_view source;
  std::string sha;
};

namespace scripts {
extern const Script kAcquire, kRenew, kRelease, kPublish, kLook, kAddHolder, kRemoveHolder, kWeigh,
    kCharge, kEvict, kAsk, kFinish, kPlaces, kEndPauses, kBeat, kLeave, kTell, kFollow, kHeal;
const std::vector<const Script*>& all();
}  // namespace scripts

// One run of a script. All of its keys lie in one slot of a cluster.
struct Call {
  std::vector<std::string> keys, args;
};

Encoded by_digest(const Script& script, const Call& call);
Encoded by_source(const Script& script, const Call& call);

}  // namespace tanggul::redis
