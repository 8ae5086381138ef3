#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

#include "adapters/curl/address_rules.h"
#include "async/task.h"
#include "base/bytes.h"
#include "ports/origin.h"

namespace tanggul::curl {

struct CurlConfig {
  long pooled_connections = 256;      // kept open without a request, over all upstreams
  std::chrono::seconds max_idle{55};  // a pooled one is not used again after this
  ByteCount max_head = 256_KiB;       // of a response, interim heads included
  // Where a redirect from a public upstream may not lead.
  std::function<bool(std::string_view address)> is_internal = [](std::string_view address) {
    return is_internal_address(address);
  };
};

// ports::Origin on libcurl. Belongs to the thread that runs `executor`, as every fetch on it does;
// any number at once. HTTPS_PROXY, HTTP_PROXY (lower case), ALL_PROXY and NO_PROXY of the
// environment are obeyed as libcurl does. Fetches may outlive it; it does not outlive the
// io_context. A RequestBody's read_some must end when its coroutine is cancelled: fetch() comes
// back only after it.
std::unique_ptr<ports::Origin> make_curl_origin(async::Executor executor, CurlConfig config = {});

}  // namespace tanggul::curl
