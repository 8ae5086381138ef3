#pragma once

#include <string>
#include <string_view>

#include "ports/origin.h"

namespace tanggul::registry::sql {

// What a SQL origin answers: a whole response, as an HTTP origin would send it.
struct Answer {
  int status = 200;
  std::string body;
  std::string_view type = "application/json";

  static Answer rows(std::string json) { return {200, std::move(json)}; }
  static Answer none(std::string_view origin);  // 404
  // 500. Nothing of the query, its data or the database is told: that is the log's.
  static Answer failed(std::string_view origin);
  static Answer too_large(std::string_view origin);                       // 500
  static Answer refused(std::string_view origin, std::string_view what);  // 400
};

// The end of a fetch that brings none. `words` reach clients.
ports::FetchEnd without_answer(Errc why, std::string_view words);

// Hands it over; to HEAD the head alone.
ports::FetchEnd deliver(const Answer& answer, const ports::OriginRequest& request,
                        ports::ResponseSink& sink);

}  // namespace tanggul::registry::sql
