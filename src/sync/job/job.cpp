#include "sync/job/job.h"

#include <utility>

#include "sync/job/place.h"
#include "sync/read/read.h"
#include "sync/repository/address.h"

namespace tanggul::sync {
namespace {

using ports::CloneLimits;
using ports::Remote;

JobEnd end_of(Errc code) {
  switch (code) {
    case Errc::too_large:
      return JobEnd::oversize;
    case Errc::deadline:
      return JobEnd::timeout;
    case Errc::io:  // our own disk, or no git: nothing of this repository's
      return JobEnd::busy;
    default:
      return JobEnd::transient;
  }
}

// scheme://host[:port] of an address in its canonical form.
std::string_view host_of(std::string_view url) {
  return url.substr(0, url.find('/', url.find("://") + 3));
}

// The walk, a step a function, each nullopt when the next is to follow.
class Job {
 public:
  Job(const JobOrder& order, const JobTools& tools)
      : order_(order), tools_(tools), until_(MonoClock::now() + order.pool.timeout) {}

  JobReport run() {
    for (const auto step : {&Job::lookup, &Job::clone, &Job::read, &Job::commit})
      if (!(this->*step)()) break;
    return std::move(report_);
  }

 private:
  // How long a step takes, whatever its end is.
  class Timed {
   public:
    Timed(JobReport& report, JobStage stage)
        : spent_(report.spent[static_cast<std::size_t>(stage)]) {}
    ~Timed() { spent_ = MonoClock::now() - began_; }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    std::optional<Duration>& spent_;
    const MonoTime began_ = MonoClock::now();
  };

  bool lookup() {
    const Timed timed(report_, JobStage::lookup);
    const auto address = parse_address(order_.url);
    if (!address) return gone("no_address", address.error().detail);
    report_.url = address->url;
    Place place = look_at(tools_.web, address->url, until_);
    if (place.end == JobEnd::gone && !place.remote) return gone(place.reason, place.detail);
    if (!place.remote) {
      report_.retry_after = place.retry_after;
      return ended(place.end, std::move(place.detail));
    }
    remote_ = std::move(*place.remote);
    auto head = tools_.cloner.head(remote_, limits());
    if (!head) return failed(head.error());
    if (!*head) return note(JobEnd::empty, Outcome::unchanged, "it has no commit");
    report_.commit = **head;
    if (place.moved && !follow_to(remote_.url)) return false;
    const auto known = tools_.catalog.has(report_.url, report_.commit, order_.release);
    if (!known) return unwritten(known.error());
    return !*known || note(JobEnd::unchanged, Outcome::unchanged, "");
  }

  // Where it has moved to for good is the repository's name from now on. What a host says of its
  // own is believed; of what lies on another it cannot speak: that one is read by its own name, and
  // nothing that was known by the old one becomes part of it.
  bool follow_to(const std::string& url) {
    const auto now = parse_address(url);
    if (!now || now->url == report_.url) return true;
    const auto done = host_of(now->url) == host_of(report_.url)
                          ? tools_.catalog.renamed(report_.url, {.url = now->url}, wall_now())
                          : tools_.catalog.tombstone({.url = report_.url,
                                                      .reason = "moved",
                                                      .detail = "to " + now->url,
                                                      .release = order_.release,
                                                      .at = wall_now()});
    if (!done) return unwritten(done.error());
    report_.url = now->url;
    return true;
  }

  bool clone() {
    const Timed timed(report_, JobStage::clone);
    auto cloned = tools_.cloner.clone(remote_, order_.folder, limits());
    if (!cloned) return failed(cloned.error());
    if (!cloned->commit) return note(JobEnd::empty, Outcome::unchanged, "it has no commit");
    report_.commit = *cloned->commit;  // it may have moved on since
    tree_ = std::move(cloned->tree);
    return true;
  }

  bool read() {
    const Timed timed(report_, JobStage::read);
    auto findings =
        read_tree(*tree_, {.pool = order_.pool, .latest = tools_.latest, .large_left_out = true});
    if (!findings) return failed(findings.error());
    report_.marks = marks_of(*findings);
    if (findings->out_of_memory) return ended(JobEnd::oom, "over the pool's memory");
    if (!findings->handed_to.empty())
      return ended(JobEnd::oversize, "a document is for the pool " + findings->handed_to);
    findings_ = std::move(*findings);
    return true;
  }

  bool commit() {
    const Timed timed(report_, JobStage::commit);
    const auto done = tools_.catalog.commit({.repository = {.url = report_.url},
                                             .commit = report_.commit,
                                             .release = release(),
                                             .at = wall_now(),
                                             .findings = std::move(findings_)});
    if (!done) return unwritten(done.error());
    return ended(done->new_snapshot ? JobEnd::changed : JobEnd::unchanged, "");
  }

  bool ended(JobEnd end, std::string detail) {
    report_.end = end;
    report_.detail = std::move(detail);
    return false;
  }
  bool failed(const Failure& failure) { return ended(end_of(failure.code), failure.detail); }
  // A catalog that is locked, full or away is no fault of the job; one that will not take what the
  // job has to say is met by it again.
  bool unwritten(const Failure& failure) {
    const bool ours = failure.code != Errc::internal && failure.code != Errc::bad_input;
    return ended(ours ? JobEnd::busy : JobEnd::transient, failure.detail);
  }

  // Not to be visited for a long time; the catalog keeps why.
  bool gone(std::string reason, std::string detail) {
    const std::string& url = report_.url.empty() ? order_.url : report_.url;
    const auto done = tools_.catalog.tombstone({.url = url,
                                                .reason = reason,
                                                .detail = detail,
                                                .release = order_.release,
                                                .at = wall_now()});
    if (!done) return unwritten(done.error());
    return ended(JobEnd::gone, reason + ": " + detail);
  }

  // A visit that leaves what is known as it is.
  bool note(JobEnd end, Outcome outcome, std::string detail) {
    const auto done = tools_.catalog.note({.repository = {.url = report_.url},
                                           .release = release(),
                                           .at = wall_now(),
                                           .outcome = outcome,
                                           .commit = report_.commit,
                                           .detail = detail});
    if (!done) return unwritten(done.error());
    return ended(end, std::move(detail));
  }

  Release release() const { return {order_.release, order_.track}; }
  CloneLimits limits() const {
    // git leaves out what has that size, too.
    return {.blob = order_.pool.text_limit + 1,
            .disk = order_.pool.clone_limit,
            .memory = order_.pool.memory,
            .until = until_};
  }

  const JobOrder& order_;
  const JobTools& tools_;
  const MonoTime until_;
  JobReport report_;
  Remote remote_;
  std::unique_ptr<ports::SourceTree> tree_;
  Findings findings_;
};

}  // namespace

JobReport do_job(const JobOrder& order, const JobTools& tools) { return Job(order, tools).run(); }

}  // namespace tanggul::sync
