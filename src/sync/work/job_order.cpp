#include "sync/work/job_order.h"

#include <boost/json.hpp>

#include "base/json_writer.h"

namespace tanggul::sync {
namespace {

namespace json = boost::json;

std::string text(const json::object& of, const char* key) {
  return std::string(of.at(key).as_string());
}

ByteCount bytes(const json::object& of, const char* key) {
  return of.at(key).to_number<ByteCount>();
}

}  // namespace

std::string to_json(const JobOrder& order) {
  JsonWriter out;
  out.begin_object();
  out.field("url", order.url).field("catalog", order.catalog).field("folder", order.folder);
  out.field("release", order.release).field("track", order.track);
  out.key("trusted").begin_array();
  for (const std::string& host : order.trusted) out.string(host);
  out.end_array();
  const Pool& pool = order.pool;
  out.key("pool").begin_object().field("name", pool.name).field("hands_on_to", pool.hands_on_to);
  out.key("memory").number(pool.memory).key("text_limit").number(pool.text_limit);
  out.key("clone_limit").number(pool.clone_limit);
  out.key("timeout_ms").number(static_cast<std::uint64_t>(pool.timeout / 1ms));
  return out.end_object().end_object().text();
}

Expected<JobOrder> job_order_of(std::string_view text_of_order) try {
  const json::value parsed = json::parse(text_of_order);
  const json::object& in = parsed.as_object();
  JobOrder out;
  out.url = text(in, "url");
  out.catalog = text(in, "catalog");
  out.folder = text(in, "folder");
  out.release = text(in, "release");
  out.track = text(in, "track");
  for (const json::value& host : in.at("trusted").as_array())
    out.trusted.emplace_back(host.as_string());
  const json::object& pool = in.at("pool").as_object();
  out.pool = {.name = text(pool, "name"),
              .memory = bytes(pool, "memory"),
              .text_limit = bytes(pool, "text_limit"),
              .clone_limit = bytes(pool, "clone_limit"),
              .timeout = std::chrono::milliseconds(bytes(pool, "timeout_ms")),
              .hands_on_to = text(pool, "hands_on_to")};
  return out;
} catch (const std::exception& error) {
  return Failure{Errc::bad_input, std::string("this is no order of a job: ") + error.what()};
}

}  // namespace tanggul::sync
