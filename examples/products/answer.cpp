#include "answer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>

namespace http = boost::beast::http;
using tanggul::ReadError;
using tanggul::ReadStatus;

namespace {

Response of(http::status status, std::string_view type, std::string body) {
  Response response(status, 11);
  response.set(http::field::content_type, type);
  response.body() = std::move(body);
  return response;
}

// What the loader threw is for the log: it may name tables and values.
void log(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
}

Response failed(const tanggul::Reading<std::string>& reading) {
  switch (reading.error) {
    case ReadError::failed:
      if (!reading.shared) log(reading.failure);
      return problem(http::status::internal_server_error, "the product could not be read");
    case ReadError::deadline:
    case ReadError::too_slow:
      return problem(http::status::gateway_timeout, "the database was too slow");
    default:
      return problem(http::status::service_unavailable, "the database is kept from more load");
  }
}

}  // namespace

Response problem(http::status status, std::string_view detail) {
  return of(status, "application/problem+json",
            "{\"title\":\"" + std::string(http::obsolete_reason(status)) +
                "\",\"status\":" + std::to_string(static_cast<unsigned>(status)) +
                ",\"detail\":\"" + std::string(detail) + "\"}\n");
}

Response answer(const tanggul::Reading<std::string>& reading) {
  Response response;
  switch (reading.status) {
    case ReadStatus::value:
      response = of(http::status::ok, "application/json", *reading + "\n");
      break;
    case ReadStatus::absent:
      response = problem(http::status::not_found, "there is no such product");
      break;
    case ReadStatus::error:
      response = failed(reading);
  }
  if (response.result() == http::status::gateway_timeout ||
      response.result() == http::status::service_unavailable) {
    const auto wait = std::chrono::ceil<std::chrono::seconds>(reading.retry_after).count();
    response.set(http::field::retry_after, std::to_string(std::max<std::int64_t>(1, wait)));
  }
  if (reading.shared) response.set("X-Cache-Coalesced", "true");
  return response;
}

Response metrics(const tanggul::ReadThroughFigures& figures) {
  const std::pair<const char*, std::uint64_t> counters[] = {
      {"products_hits_total", figures.hits},
      {"products_stale_total", figures.stale},
      {"products_negative_total", figures.negative},
      {"products_misses_total", figures.misses},
      {"products_singleflight_shared_total", figures.coalesced},
      {"products_queries_total", figures.attempts},
      {"products_failures_total", figures.failures},
      {"products_refused_total", figures.refused_open + figures.refused_limit},
  };
  std::string text;
  for (const auto& [name, value] : counters)
    text +=
        std::string("# TYPE ") + name + " counter\n" + name + " " + std::to_string(value) + "\n";
  text += "# TYPE products_in_flight gauge\nproducts_in_flight " +
          std::to_string(figures.in_flight) + "\n";
  return of(http::status::ok, "text/plain; version=0.0.4", std::move(text));
}
