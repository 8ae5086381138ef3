#pragma once

#include <optional>
#include <vector>

#include "cache/entry.h"
#include "http/range.h"
#include "ports/handler.h"

namespace tanggul::shield {

// What a GET asks for of a 200 of `complete` bytes whose validators are `stored`: the ranges to
// send, none of them if it names none that exist (416). nullopt: the whole, as it names none, is
// not to be understood, or comes with an If-Range that does not hold (RFC 9110 14.2).
std::optional<std::vector<http::ByteRange>> asked_ranges(const http::RequestHead& request,
                                                         const http::Headers& stored,
                                                         ByteCount complete);

// Fills `reply` with those ranges of a form that is there from byte `first` on (0, but for parts):
// 206, of several parts as multipart/byteranges, or 416. Bodies in files go out by sendfile.
void deliver_ranges(ports::Reply& reply, const cache::EntryPtr& entry, const cache::Form& form,
                    const std::vector<http::ByteRange>& ranges, ByteCount first,
                    ByteCount complete);

// The same for one range of a body that is still arriving, but for the body itself.
void write_partial_head(ports::Reply& reply, const http::Headers& headers,
                        const http::ByteRange& range, ByteCount complete);
void write_unsatisfied(ports::Reply& reply, ByteCount complete);

}  // namespace tanggul::shield
