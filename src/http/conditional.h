#pragma once

#include <string_view>

#include "tanggul/http/message.h"

namespace tanggul::http {

// Whether `etag` is among the entity tags of `list`, or the list is "*". Weak comparison ignores
// W/, strong comparison never matches a weak tag (RFC 9110 8.8.3.2).
bool etag_matches_weak(std::string_view list, std::string_view etag);
bool etag_matches_strong(std::string_view list, std::string_view etag);

enum class Condition {
  none,          // send the response
  not_modified,  // 304
  failed,        // 412
};

// Whether an If-Range holds: the range may be sent only if it does, else the whole. It takes the
// same strong tag, or exactly the same date where that is a strong validator (RFC
// 9110 13.1.5, 8.8.2.2).
bool if_range_holds(std::string_view value, const Headers& stored);

// What a request's preconditions say of a stored response, in the order of RFC 9110 13.2.2, its
// dates judged as RFC 9111 4.3.2 tells caches to. Only GET and HEAD of a 200, or of a
// part of one, have any.
Condition evaluate(const RequestHead& request, int status, const Headers& stored);

}  // namespace tanggul::http
