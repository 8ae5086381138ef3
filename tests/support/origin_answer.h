#pragma once

#include "support/script.h"
#include "support/wire.h"

namespace tanggul::test {

// Plays the script on the wire. True when the connection may carry another request. `last` is
// called before the last bytes go out, so that who has received them never sees the request still
// counted.
Task<bool> answer(Wire& wire, const Script& script, const SeenRequest& request,
                  const std::function<void()>& last);

}  // namespace tanggul::test
