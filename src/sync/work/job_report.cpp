#include "sync/work/job_report.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace tanggul::sync {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, kJobStages> kStageNames{"lookup", "clone", "read", "commit"};

template <class Flags>
void put_stages(JsonWriter& out, std::string_view key, const Flags& flags) {
  out.key(key).begin_array();
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i]) out.string(name(static_cast<Stage>(i)));
  out.end_array();
}

void take_stages(const json::object& in, const char* key, std::array<bool, kStages>& out) {
  for (const json::value& word : in.at(key).as_array())
    for (std::size_t i = 0; i < kStages; ++i)
      if (word.as_string() == name(static_cast<Stage>(i))) out[i] = true;
}

std::string text(const json::object& in, const char* key) {
  constexpr std::size_t kLongest = 2000;
  const std::string_view whole = in.at(key).as_string();
  return to_utf8(printable(utf8_prefix(whole, kLongest)));
}

Duration span(const json::value& value) {
  constexpr double kLongest = 86'400;
  const double s = value.to_number<double>();
  return from_seconds(s >= 0 ? std::min(s, kLongest) : 0);  // NaN is not
}

}  // namespace

std::string_view name(JobStage stage) noexcept {
  return kStageNames[static_cast<std::size_t>(stage)];
}

std::string to_json(const JobReport& report) {
  JsonWriter out;
  out.begin_object().field("end", name(report.end)).field("url", report.url);
  out.field("commit", report.commit).field("detail", report.detail);
  if (report.retry_after) out.key("retry_after").number(seconds(*report.retry_after));
  out.key("spent").begin_object();
  for (std::size_t i = 0; i < kJobStages; ++i)
    if (report.spent[i]) out.key(kStageNames[i]).number(seconds(*report.spent[i]));
  out.end_object();
  put_stages(out, "errors", report.marks.errors);
  put_stages(out, "defects", report.marks.defects);
  return out.end_object().text();
}

Expected<JobReport> job_report_of(std::string_view line) try {
  const json::value parsed = json::parse(line);
  const json::object& in = parsed.as_object();
  JobReport out;
  const auto end = job_end_of(std::string_view(in.at("end").as_string()));
  if (!end) return Failure{Errc::bad_input, "the job ended in a way that there is not"};
  out.end = *end;
  out.url = text(in, "url");
  out.commit = text(in, "commit");
  out.detail = text(in, "detail");
  if (const auto* wait = in.if_contains("retry_after")) out.retry_after = span(*wait);
  const json::object& spent = in.at("spent").as_object();
  for (std::size_t i = 0; i < kJobStages; ++i)
    if (const auto* time = spent.if_contains(kStageNames[i])) out.spent[i] = span(*time);
  take_stages(in, "errors", out.marks.errors);
  take_stages(in, "defects", out.marks.defects);
  return out;
} catch (const std::exception& error) {
  return Failure{Errc::bad_input, std::string("this is no report of a job: ") + error.what()};
}

}  // namespace tanggul::sync
