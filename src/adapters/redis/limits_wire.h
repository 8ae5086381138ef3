#pragma once

#include <string>
#include <string_view>

#include "adapters/redis/keys.h"
#include "adapters/redis/script.h"
#include "ports/shared_limits.h"

namespace tanggul::redis {

// The limits as scripts/limits.lua, ask.lua and finish.lua take and give them. `jitter` is U of the
// breaker's, between 0.8 and 1; `now` is empty but in tests, else microseconds.
Call ask_call(const Keys& keys, const ports::AttemptAsk& ask, const std::string& place,
              const std::string& jitter, const std::string& now);
ports::AttemptLeave leave_in(Reply& reply, bool breaker);

Call finish_call(const Keys& keys, const ports::AttemptEnd& end, const std::string& jitter,
                 const std::string& now);
inline constexpr std::size_t kSampleArgument = 15;  // of finish_call(), from 0

// What the channels of breakers and pauses carry. False: it is none.
bool read_breaker(std::string_view message, std::string& origin, ports::BreakerView& view);
bool read_pause(std::string_view message, std::string& origin, std::string& credential,
                Duration& pause);

std::string in_us(Duration d);  // rounded down

}  // namespace tanggul::redis
