// Ranges of what is not held whole: from a part, or by a fetch of one.
#include "http/range.h"
#include "shield/parts.h"
#include "shield/pipeline.h"
#include "shield/portion.h"
#include "tanggul/base/random.h"

namespace tanggul::shield {

// A range that one can hope to be served without the whole.
bool Pipeline::wants_range(const Walk& w) const {
  return w.call.head.method == "GET" && !w.what.document && w.call.head.has("range") &&
         http::parse_range(w.call.head.joined("range")).has_value();
}

// Of a representation whose whole is not held, a part that holds all of what is asked for.
bool Pipeline::serve_part(Walk& w) {
  if (!wants_range(w)) return false;
  const cache::EntryPtr held = shield_.find(part_key(w.key));
  if (!held || !held->part ||
      policy::decide(held->times, w.asked, 0, w.now.wall, thread_rng()) != policy::Serve::fresh)
    return false;
  const cache::Form& form = held->forms.front();
  const auto ranges = asked_ranges(w.call.head, form.validators, held->part->complete);
  if (!ranges) return false;
  const ByteCount first = held->part->first, end = first + size_of(form.body);
  for (const auto& range : *ranges)
    if (range.first < first || range.end() > end) return false;
  w.trace.note(Step::lookup, "part");
  Provenance how;
  how.outcome = Outcome::hit;
  how.hit = true;
  w.reply.result = name(how.outcome);
  deliver_ranges(w.reply, held, form, *ranges, first, held->part->complete);
  write_provenance(w.reply.lines, how, policy::age(held->times, w.now.wall),
                   held->times.expires - w.now.wall);
  return true;
}

// The whole is on its way to somebody else, but a range that lies far behind would be long in
// coming.
bool Pipeline::is_too_large_to_wait_for(const Walk& w, const cache::Flight::View& view) const {
  if (w.of_part || view.phase != cache::Flight::Phase::open || view.head->status != 200 ||
      view.head->length.value_or(0) <= w.upstream->config().range_passthrough || !wants_range(w))
    return false;
  w.upstream->state().large().note(w.key, *view.head->length, w.now.mono);
  return true;
}

// A range of something too large to be fetched whole for it: the Range goes on, shared by those who
// ask for the same, and what comes is kept as a part.
Task<void> Pipeline::part(Walk& w) {
  FetchJob job = job_for(w);
  std::string key = w.flight_key;
  for (const char* field : {"Range", "If-Range"}) {
    if (!w.call.head.has(field)) continue;
    job.headers.set(field, w.call.head.joined(field));
    key.append("\x1f").append(w.call.head.joined(field));
  }
  job.part = w.of_part = true;
  const auto joined = shield_.flights().join(key, shield_.spool_directory());
  w.trace.note(Step::flight, joined.leader ? "part" : "part-follower");
  if (joined.leader) {
    job.flight = joined.flight;
    take_interims(w, job);
    launch("part", std::move(job));
  }
  const Followed followed = co_await follow(w, joined.flight, joined.leader, false);
  if (followed == Followed::again) co_await part(w);
  if (followed == Followed::not_ours) co_await alone(w, true);
}

}  // namespace tanggul::shield
