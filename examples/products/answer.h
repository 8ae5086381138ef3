#pragma once

#include <tanggul/shield/read_through.h>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <string_view>

using Products = tanggul::ReadThrough<std::string, std::string>;
using Response = boost::beast::http::response<boost::beast::http::string_body>;

// RFC 9457.
Response problem(boost::beast::http::status status, std::string_view detail);

// What a reading says to an HTTP client.
Response answer(const tanggul::Reading<std::string>& reading);

// The counters, for Prometheus.
Response metrics(const tanggul::ReadThroughFigures& figures);
