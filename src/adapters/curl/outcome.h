#pragma once

#include <optional>

#include "base/result.h"

namespace tanggul::curl {

// How far a transfer had come when libcurl ended it.
struct Progress {
  bool sent = false;        // the request had begun to go out
  bool reused = false;      // on a connection from the pool
  bool head_begun = false;  // bytes of a response had come
  bool head_complete = false;
};

// libcurl's code in our words; nullopt: the response is whole.
std::optional<Errc> outcome(int curl_code, const Progress& progress) noexcept;

bool is_tls_failure(int curl_code) noexcept;

}  // namespace tanggul::curl
