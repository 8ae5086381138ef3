#include "adapters/beast/access_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace tanggul::beast {
namespace {

constexpr std::size_t kFlushAt = 32 * 1024;

// Whatever a client sends must not break out of its line.
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20 || u == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", u);
    } else {
      out += c;
    }
  }
}

}  // namespace

void AccessLog::write(const ports::Call& call, const ports::Reply& reply, ByteCount bytes,
                      ports::Sent end) {
  if (format_ == LogFormat::off) return;
  // nginx's number for a client that did not wait.
  const int status = end == ports::Sent::left || reply.status == 0 ? 499 : reply.status;
  const double took = seconds(MonoClock::now() - call.started);
  const auto now = std::chrono::floor<std::chrono::milliseconds>(wall_now());
  const auto ms = now.time_since_epoch().count() % 1000;
  const auto time = fmt::gmtime(std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(now)));
  auto out = std::back_inserter(lines_);
  std::string_view result = reply.result.empty() ? "-" : reply.result;
  if (end == ports::Sent::left) result = "aborted";
  if (end == ports::Sent::cut) result = "cut";
  const std::string_view origin = reply.origin.empty() ? "-" : reply.origin;
  if (format_ == LogFormat::json) {
    fmt::format_to(out, R"({{"time":"{:%Y-%m-%dT%H:%M:%S}.{:03}Z","client":"{}","method":")", time,
                   ms, call.client);
    append_escaped(lines_, call.head.method);
    lines_ += R"(","target":")";
    append_escaped(lines_, call.head.target);
    fmt::format_to(std::back_inserter(lines_),
                   R"(","status":{},"bytes":{},"seconds":{:.6f},"origin":"{}","result":"{}")",
                   status, bytes, took, origin, result);
    if (!reply.trace.empty()) {
      lines_ += R"(,"trace":")";
      append_escaped(lines_, reply.trace);
      lines_ += '"';
    }
    lines_ += "}\n";
  } else {
    fmt::format_to(out, "{:%Y-%m-%dT%H:%M:%S}.{:03}Z {} \"", time, ms, call.client);
    append_escaped(lines_, call.head.method);
    lines_ += ' ';
    append_escaped(lines_, call.head.target);
    fmt::format_to(std::back_inserter(lines_), "\" {} {} {:.6f} {} {} {}\n", status, bytes, took,
                   origin, result, reply.trace);
  }
  if (lines_.size() >= kFlushAt) flush();
}

void AccessLog::flush() { writer_.write(lines_); }

}  // namespace tanggul::beast
