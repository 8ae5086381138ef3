#include "shield/deliver.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <charconv>

#include "http/conditional.h"
#include "http/date.h"
#include "shield/flight_reader.h"
#include "shield/portion.h"
#include "tanggul/policy/negative.h"

namespace tanggul::shield {
namespace {

void append_number(std::string& out, std::int64_t n) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  out.append(digits, end);
}

std::int64_t whole_seconds(Duration d) {
  return std::chrono::duration_cast<std::chrono::seconds>(d).count();
}

// The lines that a 304 carries for the response it stands for (RFC 9110 15.4.5).
void not_modified(ports::Reply& reply, const http::Headers& headers, std::string_view etag) {
  static constexpr std::string_view kKept[] = {
      "cache-control", "content-location", "date", "etag", "expires", "vary", "last-modified"};
  reply.status = 304;
  reply.head = "HTTP/1.1 304 Not Modified\r\n";
  for (const auto& h : headers)
    if (std::any_of(std::begin(kKept), std::end(kKept),
                    [&](std::string_view k) { return iequals(k, h.name); }))
      reply.lines.append(h.name).append(": ").append(h.value).append("\r\n");
  if (!etag.empty() && !headers.has("etag"))
    reply.lines.append("ETag: ").append(etag).append("\r\n");
  reply.head_only = true;
}

// What of a request's headers is about a representation that is there. One look through them, as
// every hit comes by here.
struct AboutStored {
  bool conditions = false, range = false;

  explicit AboutStored(const http::RequestHead& head) {
    for (const http::HeaderView& h : head.headers) {
      if (h.name.size() > 3 && iequals(h.name.substr(0, 3), "if-")) conditions = true;
      if (h.name.size() == 5 && iequals(h.name, "range")) range = true;
    }
  }
};

void write_failed(ports::Reply& reply) {
  reply.status = 412;
  reply.head = "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n";
}

}  // namespace

bool accepts_gzip(const http::RequestHead& head) {
  const std::string value = head.joined("accept-encoding");
  for (const auto member : http::list_members(value)) {
    const auto semicolon = member.find(';');
    const auto coding = trim(member.substr(0, semicolon));
    if (!iequals(coding, "gzip") && !iequals(coding, "x-gzip") && coding != "*") continue;
    if (semicolon == std::string_view::npos) return true;
    const auto q = member.find("q=", semicolon);
    // q=0, q=0.0 …: "not acceptable" (RFC 9110 12.4.2).
    return q == std::string_view::npos ||
           member.substr(q + 2).find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

void write_provenance(std::string& lines, const Provenance& how, std::optional<Duration> age,
                      std::optional<Duration> ttl) {
  if (age) {
    lines += "Age: ";
    append_number(lines, std::max<std::int64_t>(0, whole_seconds(*age)));
    lines += "\r\n";
  }
  lines += "Cache-Status: tanggul";
  if (how.hit) lines += "; hit";
  if (!how.hit && !how.forward.empty()) lines.append("; fwd=").append(how.forward);
  if (how.forward_status > 0) {
    lines += "; fwd-status=";
    append_number(lines, how.forward_status);
  }
  if (ttl) {
    lines += "; ttl=";
    append_number(lines, whole_seconds(*ttl));
  }
  if (how.stored) lines += "; stored";
  if (how.coalesced) lines += "; collapsed";
  if (how.let_go) lines += "; collapsed=?0";
  if (!how.detail.empty()) lines.append("; detail=").append(how.detail);
  lines += "\r\n";
  if (how.coalesced) lines += "X-Cache-Coalesced: true\r\n";
}

namespace {

void deliver_whole(const ports::Call& call, ports::Reply& reply, const cache::Entry& entry,
                   const cache::Form& form) {
  reply.head = form.head;
  reply.head_only = call.head.method == "HEAD" || entry.status == 204 || entry.status == 304;
  if (const auto* file = std::get_if<cache::FileBody>(&form.body)) {
    reply.length = file->size;
    if (!reply.head_only) reply.stream = std::make_unique<FileReader>(*file);
  } else if (!reply.head_only) {
    if (const auto& bytes = std::get<SharedBytes>(form.body)) reply.body = *bytes;
  }
}

}  // namespace

void deliver_entry(const ports::Call& call, ports::Reply& reply, const cache::EntryPtr& entry,
                   const Provenance& how, WallTime now) {
  const cache::Form& form =
      entry->forms.size() == 1 ? entry->forms.front() : entry->form(accepts_gzip(call.head));
  reply.owner = entry;
  reply.status = entry->status;
  reply.result = name(how.outcome);
  const AboutStored about(call.head);
  auto condition = http::Condition::none;
  if (about.conditions) condition = http::evaluate(call.head, entry->status, form.validators);
  if (condition == http::Condition::not_modified) {
    not_modified(reply, entry->headers, form.etag);
  } else if (condition == http::Condition::failed) {
    write_failed(reply);
  } else if (const auto ranges = about.range && entry->status == 200
                                     ? asked_ranges(call.head, form.validators, size_of(form.body))
                                     : std::nullopt) {
    deliver_ranges(reply, entry, form, *ranges, 0, size_of(form.body));
  } else {
    deliver_whole(call, reply, *entry, form);
  }
  const Duration age = policy::age(entry->times, now);
  const bool old = how.hit || age >= 1s;
  write_provenance(reply.lines, how, old ? std::optional(age) : std::nullopt,
                   how.hit ? std::optional(entry->times.expires - now) : std::nullopt);
}

namespace {

void deliver_open(const ports::Call& call, ports::Reply& reply, const cache::FlightPtr& flight,
                  const cache::OpenHead& open) {
  reply.status = open.status;
  reply.length = open.length;
  auto head = std::make_shared<std::string>();
  head->append("HTTP/1.1 ").append(std::to_string(open.status)).append(" ");
  head->append(http::reason_phrase(open.status)).append("\r\n");
  for (const auto& h : open.headers)
    head->append(h.name).append(": ").append(h.value).append("\r\n");
  if (open.length)
    head->append("Content-Length: ").append(std::to_string(*open.length)).append("\r\n");
  reply.head = *head;
  reply.owner = std::move(head);
  auto reader = std::make_unique<FlightReader>(flight);  // detaches the caller when it goes
  reply.head_only = call.head.method == "HEAD" || open.status == 204 || open.status == 304;
  if (!reply.head_only) reply.stream = std::move(reader);
}

}  // namespace

void deliver_stream(const ports::Call& call, ports::Reply& reply, const cache::FlightPtr& flight,
                    const cache::Flight::View& view, const Provenance& how, bool digested) {
  const cache::OpenHead& open = *view.head;
  reply.result = name(how.outcome);
  const AboutStored about(call.head);
  auto condition = http::Condition::none;
  if (about.conditions && !how.passed)
    condition = http::evaluate(call.head, open.status, open.headers);
  std::optional<std::vector<http::ByteRange>> ranges;
  if (about.range && !how.passed && open.status == 200 && open.length)
    ranges = asked_ranges(call.head, open.headers, *open.length);
  if (condition == http::Condition::not_modified) {
    not_modified(reply, open.headers, {});
    flight->detach();
  } else if (condition == http::Condition::failed) {
    write_failed(reply);
    flight->detach();
  } else if (ranges && ranges->empty()) {
    write_unsatisfied(reply, *open.length);
    flight->detach();
  } else if (ranges &&
             ranges->size() == 1) {  // of several the whole is sent: they are ready together
    write_partial_head(reply, open.headers, ranges->front(), *open.length);
    reply.stream = std::make_unique<FlightReader>(flight, ranges->front(), digested);
  } else {
    deliver_open(call, reply, flight, open);
  }
  write_provenance(reply.lines, how, std::nullopt, std::nullopt);
}

void deliver_problem(ports::Reply& reply, int status, std::string_view type, std::string_view title,
                     std::string_view detail, std::string_view origin, Duration retry_after,
                     const Provenance& how) {
  boost::json::object problem{{"type", std::string("urn:tanggul:problem:").append(type)},
                              {"title", title},
                              {"status", status},
                              {"detail", detail}};
  if (!origin.empty()) problem["origin"] = origin;
  auto owned = std::make_shared<std::pair<std::string, std::string>>();
  auto& [head, body] = *owned;
  body = boost::json::serialize(problem);
  body += '\n';
  head.append("HTTP/1.1 ").append(std::to_string(status)).append(" ");
  head.append(http::reason_phrase(status));
  head.append("\r\nContent-Type: application/problem+json\r\nDate: ");
  head.append(http::format_date(wall_now()));
  head.append("\r\nContent-Length: ").append(std::to_string(body.size())).append("\r\n");
  if (status == 503 || status == 429 || status == 502 || status == 504 || status == 500)
    head += "Cache-Control: no-store\r\n";
  if (retry_after > Duration::zero()) {
    head += "Retry-After: ";
    append_number(head, std::max<std::int64_t>(
                            1, std::chrono::ceil<std::chrono::seconds>(retry_after).count()));
    head += "\r\n";
  }
  reply.status = status;
  reply.result = name(how.outcome);
  reply.head = head;
  reply.body = body;
  reply.owner = std::move(owned);
  write_provenance(reply.lines, how, std::nullopt, std::nullopt);
}

namespace {

// The `detail` of a failure; also the last word of its problem type.
std::string_view detail_of(const cache::Failure& failure) {
  switch (failure.code) {
    case Errc::breaker_open:
      return "breaker-open";
    case Errc::limit:
    case Errc::too_large:
      return "limit";
    case Errc::paused:
      return "origin-paused";
    case Errc::connect_timeout:
    case Errc::first_byte_timeout:
    case Errc::stalled:
      return "origin-timeout";
    case Errc::io:
      return "limit";
    case Errc::internal:
      return "internal";
    case Errc::loop:
      return "loop";
    default:
      return failure.from_origin ? "origin-error" : "origin-unreachable";
  }
}

}  // namespace

void deliver_failure(ports::Reply& reply, const cache::Failure& failure, std::string_view origin,
                     const Provenance& how, MonoTime now, Rng& rng) {
  Provenance shown = how;
  const std::string_view what = detail_of(failure);
  if (shown.detail.empty()) shown.detail = what;
  Duration wait = Duration::zero();
  if (failure.retry_at > MonoTime{})
    wait = policy::retry_after(std::max(failure.retry_at - now, Duration::zero()), rng);
  deliver_problem(reply, failure.status, what, failure.title, failure.detail, origin, wait, shown);
}

}  // namespace tanggul::shield
