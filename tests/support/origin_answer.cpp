#include "support/origin_answer.h"

#include <algorithm>
#include <cstdio>

namespace tanggul::test {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

std::string chunk(std::string_view bytes) {
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

std::size_t piece_size(const Script& script) {
  if (script.fault == Fault::drip) return 1;
  if (script.bytes_per_second == 0) return kPiece;
  return std::clamp<std::size_t>(script.bytes_per_second / 20, 1, kPiece);
}

Duration pause_after(const Script& script, std::size_t sent) {
  if (script.fault == Fault::drip) return script.drip_interval;
  if (script.bytes_per_second == 0) return Duration::zero();
  return from_seconds(static_cast<double>(sent) / static_cast<double>(script.bytes_per_second));
}

// Body bytes up to `end`; an error when the peer leaves.
Task<error_code> send_body(Wire& wire, const Script& script, std::uint64_t end,
                           const std::function<void()>& last) {
  const bool chunked = script.framing == Framing::chunked || script.fault == Fault::endless_body;
  for (std::uint64_t at = 0; at < end;) {
    const std::size_t want = std::min<std::uint64_t>(piece_size(script), end - at);
    const std::string piece = script.fault == Fault::endless_body ? generated_bytes(at, want)
                                                                  : body_piece(script, at, want);
    if (at + piece.size() == end && !chunked) last();
    if (const error_code ec = co_await wire.write(chunked ? chunk(piece) : piece)) co_return ec;
    at += piece.size();
    if (const error_code ec = co_await wire.pause(pause_after(script, piece.size()))) co_return ec;
  }
  co_return error_code();
}

Task<void> endless_headers(Wire& wire) {
  const std::string line = "X-Filler: " + std::string(1000, 'x') + "\r\n";
  error_code ec = co_await wire.write("HTTP/1.1 200 OK\r\n");
  while (!ec) ec = co_await wire.write(line);
}

// The faults that leave no head behind. True when this was one.
Task<bool> faulty_head(Wire& wire, const Script& script) {
  switch (script.fault) {
    case Fault::reset_after_request:
      wire.reset();
      co_return true;
    case Fault::never_answer:
      co_await wire.pause(std::chrono::hours(24));
      wire.close();
      co_return true;
    case Fault::garbage:
      co_await wire.write("\x16\x03\x01 this is no HTTP\r\n\r\n");
      wire.close();
      co_return true;
    case Fault::cut_head_at:
      co_await wire.write(head_of(script, false).substr(0, script.cut_at));
      wire.close();
      co_return true;
    case Fault::endless_headers:
      co_await endless_headers(wire);
      wire.close();
      co_return true;
    default:
      co_return false;
  }
}

Task<bool> finish_body(Wire& wire, const Script& script, const std::function<void()>& last) {
  const bool cut = script.fault == Fault::cut_body_at || script.fault == Fault::reset_body_at ||
                   script.fault == Fault::bad_chunk;
  std::uint64_t end = cut ? std::min(script.cut_at, script.size()) : script.size();
  if (script.fault == Fault::endless_body) end = UINT64_MAX;
  if (co_await send_body(wire, script, end, last)) co_return false;
  if (script.fault == Fault::bad_chunk) co_await wire.write("not-a-size\r\n");
  if (script.fault == Fault::reset_body_at) wire.reset();
  if (cut) co_return false;
  last();
  if (script.framing == Framing::chunked && co_await wire.write("0\r\n\r\n")) co_return false;
  co_return true;
}

}  // namespace

Task<bool> answer(Wire& wire, const Script& script, const SeenRequest& request,
                  const std::function<void()>& last) {
  if (co_await wire.pause(script.delay_head)) co_return false;
  if (co_await faulty_head(wire, script)) co_return false;
  if (!script.before_head.empty() && co_await wire.write(script.before_head)) co_return false;
  const bool not_modified = matches_etag(script, request.headers);
  std::string head = head_of(script, not_modified);
  const bool bodiless = not_modified || request.method == "HEAD" || script.status == 204 ||
                        script.status == 304 || script.framing == Framing::none;
  // A small body goes with its head in one write, as real servers do.
  const bool together = !bodiless && script.fault == Fault::none &&
                        script.delay_body == Duration::zero() && script.bytes_per_second == 0 &&
                        script.framing != Framing::chunked && script.size() <= kPiece;
  if (together) head += body_piece(script, 0, kPiece);
  if (bodiless || together) last();
  if (co_await wire.write(head)) co_return false;
  if (!bodiless && !together) {
    if (co_await wire.pause(script.delay_body)) co_return false;
    if (!co_await finish_body(wire, script, last)) co_return false;
  }
  co_return script.framing != Framing::until_close && !script.close_after &&
      script.fault != Fault::close_idle_connection;
}

}  // namespace tanggul::test
