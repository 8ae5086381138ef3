#include "registry/sql/answer.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/bytes.h"
#include "base/digest.h"

namespace tanggul::registry::sql {
namespace {

Answer problem(int status, std::string_view type, std::string_view title, std::string_view detail,
               std::string_view origin) {
  const boost::json::value document{{"type", "urn:tanggul:problem:" + std::string(type)},
                                    {"title", title},
                                    {"status", status},
                                    {"detail", detail},
                                    {"origin", origin}};
  return {status, boost::json::serialize(document) + "\n", "application/problem+json"};
}

}  // namespace

Answer Answer::none(std::string_view origin) {
  return problem(404, "no-row", "There is no such row", "the query found nothing", origin);
}
Answer Answer::failed(std::string_view origin) {
  return problem(500, "sql-error", "The query failed", "the log of the shield says why", origin);
}
Answer Answer::too_large(std::string_view origin) {
  return problem(500, "limit", "The result is too large", "it is over max_object", origin);
}
Answer Answer::refused(std::string_view origin, std::string_view what) {
  return problem(400, "parameter", "A parameter is not what it must be", what, origin);
}

ports::FetchEnd without_answer(Errc why, std::string_view words) {
  ports::FetchEnd end;
  end.error = why;
  end.detail = words;
  return end;
}

ports::FetchEnd deliver(const Answer& answer, const ports::OriginRequest& request,
                        ports::ResponseSink& sink) {
  http::ResponseHead head;
  head.status = answer.status;
  head.reason = http::reason_phrase(answer.status);
  head.headers.add("Content-Type", answer.type);
  // Rows have no other version than their bytes.
  if (answer.status == 200)
    head.headers.add(
        "ETag", "\"" + to_hex(Digest::of(DigestKind::sha256, answer.body).substr(0, 16)) + "\"");
  ports::FetchEnd end;
  end.requests = 1;
  const bool body = request.method != "HEAD";
  // Of a body that comes the length is told beside the head.
  if (!body) head.headers.add("Content-Length", std::to_string(answer.body.size()));
  const auto length = answer.body.size();
  bool wanted = sink.on_head(std::move(head),
                             body ? ports::BodyFraming::length : ports::BodyFraming::none, length);
  if (wanted && body) wanted = sink.on_data(answer.body);
  if (!wanted) end.error = Errc::cancelled;
  return end;
}

}  // namespace tanggul::registry::sql
