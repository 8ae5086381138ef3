#include "shield/portion.h"

#include <algorithm>

#include "http/conditional.h"
#include "shield/flight_reader.h"
#include "tanggul/base/random.h"

namespace tanggul::shield {
namespace {

constexpr std::string_view kPartial = "HTTP/1.1 206 Partial Content\r\n";

// A head and, beside it, what else of the reply has to live until it has been sent.
struct Owned {
  std::string head;
  std::string body;
  cache::EntryPtr entry;
};

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

// All but what describes the whole, or stands in each part instead.
void append_headers(std::string& out, const http::Headers& headers, bool with_type) {
  for (const auto& h : headers) {
    if (iequals(h.name, "content-length") || iequals(h.name, "content-range")) continue;
    if (!with_type && iequals(h.name, "content-type")) continue;
    append_line(out, h.name, h.value);
  }
}

void append_form(std::string& out, const cache::Entry& entry, const cache::Form& form) {
  if (!form.encoding.empty() && !entry.headers.has("content-encoding"))
    append_line(out, "Content-Encoding", form.encoding);
  if (!form.etag.empty() && !entry.headers.has("etag")) append_line(out, "ETag", form.etag);
}

// `range` of a body that begins at byte `first` of the representation.
ports::BodyPiece piece_of(const cache::Form& form, const http::ByteRange& range, ByteCount first) {
  ports::BodyPiece piece;
  piece.size = range.size;
  const ByteCount at = range.first - first;
  if (const auto* file = std::get_if<cache::FileBody>(&form.body)) {
    piece.descriptor = file->file->descriptor();
    piece.offset = file->offset + at;
  } else {
    piece.memory = std::string_view(*std::get<SharedBytes>(form.body)).substr(at, range.size);
  }
  return piece;
}

std::string boundary() {
  Rng& rng = thread_rng();
  return std::to_string(rng.bits()).append(std::to_string(rng.bits()));
}

// RFC 9110 14.6. The heads of the parts lie one after the other in `owned.body`.
ByteCount write_parts(Owned& owned, const cache::Form& form,
                      const std::vector<http::ByteRange>& ranges, ByteCount first,
                      ByteCount complete, std::vector<ports::BodyPiece>& pieces) {
  const std::string mark = boundary();
  const std::string type(owned.entry->headers.find("content-type").value_or(""));
  std::vector<std::size_t> ends;
  for (const auto& range : ranges) {
    owned.body.append("\r\n--").append(mark).append("\r\n");
    if (!type.empty()) append_line(owned.body, "Content-Type", type);
    append_line(owned.body, "Content-Range", http::content_range(range, complete));
    owned.body += "\r\n";
    ends.push_back(owned.body.size());
  }
  owned.body.append("\r\n--").append(mark).append("--\r\n");
  append_line(owned.head, "Content-Type", "multipart/byteranges; boundary=" + mark);

  ByteCount length = owned.body.size();
  const std::string_view heads = owned.body;
  std::size_t at = 0;
  const auto add_head = [&](std::size_t end) {
    ports::BodyPiece piece;
    piece.memory = heads.substr(at, end - at);
    piece.size = end - at;
    pieces.push_back(piece);
    at = end;
  };
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    add_head(ends[i]);
    pieces.push_back(piece_of(form, ranges[i], first));
    length += ranges[i].size;
  }
  add_head(heads.size());
  return length;
}

}  // namespace

std::optional<std::vector<http::ByteRange>> asked_ranges(const http::RequestHead& request,
                                                         const http::Headers& stored,
                                                         ByteCount complete) {
  if (request.method != "GET" || !request.has("range")) return std::nullopt;
  const auto specs = http::parse_range(request.joined("range"));
  if (!specs) return std::nullopt;
  if (request.has("if-range") && !http::if_range_holds(request.joined("if-range"), stored))
    return std::nullopt;
  return http::resolve(*specs, complete);
}

void deliver_ranges(ports::Reply& reply, const cache::EntryPtr& entry, const cache::Form& form,
                    const std::vector<http::ByteRange>& ranges, ByteCount first,
                    ByteCount complete) {
  if (ranges.empty()) return write_unsatisfied(reply, complete);
  auto owned = std::make_shared<Owned>();
  owned->entry = entry;
  owned->head = kPartial;
  const bool one = ranges.size() == 1;
  append_headers(owned->head, entry->headers, one);
  append_form(owned->head, *entry, form);
  std::vector<ports::BodyPiece> pieces;
  ByteCount length = 0;
  if (one) {
    append_line(owned->head, "Content-Range", http::content_range(ranges.front(), complete));
    pieces.push_back(piece_of(form, ranges.front(), first));
    length = ranges.front().size;
  } else {
    length = write_parts(*owned, form, ranges, first, complete, pieces);
  }
  append_line(owned->head, "Content-Length", std::to_string(length));
  reply.status = 206;
  reply.head = owned->head;
  reply.head_only = false;
  if (one && pieces.front().descriptor < 0) {
    reply.body = pieces.front().memory;
  } else {
    reply.length = length;
    const auto* file = std::get_if<cache::FileBody>(&form.body);
    reply.stream =
        std::make_unique<PiecesReader>(std::move(pieces), file != nullptr ? file->file : nullptr);
  }
  reply.owner = std::move(owned);
}

void write_partial_head(ports::Reply& reply, const http::Headers& headers,
                        const http::ByteRange& range, ByteCount complete) {
  auto head = std::make_shared<std::string>(kPartial);
  append_headers(*head, headers, true);
  append_line(*head, "Content-Range", http::content_range(range, complete));
  append_line(*head, "Content-Length", std::to_string(range.size));
  reply.status = 206;
  reply.length = range.size;
  reply.head = *head;
  reply.owner = std::move(head);
}

void write_unsatisfied(ports::Reply& reply, ByteCount complete) {
  auto head = std::make_shared<std::string>("HTTP/1.1 416 Range Not Satisfiable\r\n");
  append_line(*head, "Content-Range", http::unsatisfied_range(complete));
  append_line(*head, "Content-Length", "0");
  reply.status = 416;
  reply.head = *head;
  reply.owner = std::move(head);
}

}  // namespace tanggul::shield
