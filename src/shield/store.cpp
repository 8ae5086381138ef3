#include "shield/store.h"

#include <algorithm>

#include "cache/tags.h"
#include "http/date.h"
#include "http/gzip.h"
#include "http/targeted.h"
#include "http/vary.h"
#include "shield/client_headers.h"
#include "tanggul/policy/negative.h"

namespace tanggul::shield {
namespace {

// Above this, bytes are moved on the pool: a thread's other connections must not wait for them.
constexpr ByteCount kOffloadFrom = 1_MiB;
// How long a key is marked whose answers may not be shared.
constexpr Duration kSoloFor = 120s;

policy::StoredTimes times_of(const policy::Lifetime& lifetime, WallTime sent_at, Duration cost) {
  const WallTime now = wall_now();
  policy::StoredTimes t;
  t.stored_at = now;
  t.birth = now - lifetime.initial_age;
  t.expires = t.birth + lifetime.fresh_for;
  t.stale_while_revalidate = lifetime.stale_while_revalidate;
  t.stale_if_error = lifetime.stale_if_error;
  t.no_cache = lifetime.no_cache;
  t.must_revalidate = lifetime.must_revalidate;
  t.cost = std::max(cost, now - sent_at);
  return t;
}

cache::Form form_of(std::string encoding, std::string body) {
  cache::Form form;
  // The ETag is over the bytes that are served: the rewritten document is not the origin's.
  form.etag = "\"" + to_hex(Digest::of(DigestKind::sha256, body).substr(0, 12)) +
              (encoding.empty() ? "" : "-" + encoding) + "\"";
  form.encoding = std::move(encoding);
  form.body = std::make_shared<const std::string>(std::move(body));
  return form;
}

Result<void> rewrite(const FetchJob& job, const std::string& body, cache::Entry& entry) {
  const UpstreamUrl& upstream = job.upstream->config().upstreams.front();
  auto made =
      job.upstream->config().kind->rewrite(body, job.rest, job.base, upstream.base + upstream.path);
  if (!made) return made.error();
  entry.digests = std::move(made->digests);
  entry.headers.remove("etag");
  entry.headers.remove("content-encoding");
  std::string packed = http::gzip(made->body);
  entry.forms.push_back(form_of("", std::move(made->body)));
  entry.forms.push_back(form_of("gzip", std::move(packed)));
  return {};
}

// A body that went to a file stays there: the page cache is its memory, sendfile its way out. What
// no disk tier will take is read back where memory may keep it.
Result<void> take_body(Shield& shield, const FetchJob& job, const FlightSink& sink,
                       cache::Entry& entry) {
  if (job.method == "HEAD") {  // no body, not even one of length 0
    entry.forms.emplace_back();
    return {};
  }
  cache::Spool& spool = job.flight->spool();
  const bool document = job.what.document && sink.status() == 200 && job.method == "GET";
  const bool disk_takes_it = shield.disk() != nullptr && spool.size() <= shield.disk()->largest();
  if (!document && spool.file() && (disk_takes_it || spool.size() > shield.memory().largest())) {
    cache::Form form;
    form.body = cache::FileBody{spool.file(), spool.size()};
    entry.forms.push_back(std::move(form));
    return {};
  }
  auto bytes = spool.bytes();
  if (!bytes) return bytes.error();
  if (document) return rewrite(job, *bytes, entry);
  cache::Form form;
  form.body = std::make_shared<const std::string>(std::move(*bytes));
  entry.forms.push_back(std::move(form));
  return {};
}

void mark_solo(Shield& shield, const std::string& key) {
  auto marker = std::make_shared<cache::Entry>();
  marker->kind = cache::Entry::Kind::solo;
  marker->times.expires = wall_now() + kSoloFor;
  marker->generation = shield.purges().now();
  shield.store(key, std::move(marker));
}

}  // namespace

std::vector<std::string> tell_vary(Shield& shield, const std::string& key,
                                   const std::vector<std::string>& names) {
  auto marker = std::make_shared<cache::Entry>();
  marker->kind = cache::Entry::Kind::vary;
  marker->vary = names;
  marker->generation = shield.purges().now();
  // Names that other variants of this key have been selected by stay: a union keys too finely at
  // worst, a narrower list would mix variants.
  cache::EntryPtr before = shield.find(key);
  if (before && before->kind != cache::Entry::Kind::vary) before.reset();
  if (before)
    for (const auto& n : before->vary)
      if (std::find(marker->vary.begin(), marker->vary.end(), n) == marker->vary.end())
        marker->vary.push_back(n);
  std::sort(marker->vary.begin(), marker->vary.end());
  std::vector<std::string> told = marker->vary;
  if (before && before->vary == told) return told;  // nothing new to write down
  shield.store(key, std::move(marker));
  return told;
}

Task<Result<std::shared_ptr<cache::Entry>>> make_entry(Shield& shield, const FetchJob& job,
                                                       FlightSink& sink, WallTime sent_at,
                                                       Duration cost) {
  const OriginConfig& config = job.upstream->config();
  const bool registry = config.kind->is_registry();
  auto entry = std::make_shared<cache::Entry>();
  entry->status = sink.status();
  entry->headers =
      client_headers(sink.headers(), registry && job.what.way == registry::Classified::Way::cached);
  if (const auto etag = sink.headers().find("etag")) entry->origin_etag = *etag;
  entry->revalidatable = !entry->origin_etag.empty() || sink.headers().has("last-modified");
  entry->times = times_of(sink.lifetime(), sent_at, cost);
  entry->vary = http::vary_names(sink.headers());
  entry->generation = job.generation;
  entry->tags = cache::tags_of(sink.headers());
  if (sink.status() == 404 || sink.status() == 410) {
    const Duration keep =
        policy::not_found_ttl(http::as_directed(sink.headers(), config.targeted), config.negative,
                              registry, entry->times.stored_at, thread_rng());
    // One credential's "not found" is not another's, unless the origin says that it is public.
    entry->negative =
        keep > Duration::zero() && (!job.had_authorization || sink.lifetime().storable);
    if (entry->negative) entry->times.expires = entry->times.stored_at + keep;
    entry->times.stale_while_revalidate = entry->times.stale_if_error = Duration::zero();
  }
  Result<void> done;
  if (job.flight->spool().size() > kOffloadFrom) {
    co_await shield.offload().run([&] { done = take_body(shield, job, sink, *entry); });
  } else {
    done = take_body(shield, job, sink, *entry);
  }
  if (!done) co_return done.error();
  cache::encode_heads(*entry);
  co_return entry;
}

std::shared_ptr<cache::Entry> updated(const cache::Entry& held, const http::Headers& headers) {
  // What describes the bytes that are held stays with them (RFC 9111 3.2), the entity tag too: it
  // is the one that the origin has just confirmed, and servers that compress are known to send
  // another.
  static constexpr std::string_view kNotTaken[] = {"content-length",
                                                   "content-encoding",
                                                   "content-range",
                                                   "content-md5",
                                                   "content-digest",
                                                   "transfer-encoding",
                                                   "vary",
                                                   "etag",
                                                   "age"};
  const bool rewritten = held.forms.size() > 1;
  auto entry = std::make_shared<cache::Entry>(held);
  std::vector<std::string> replaced;
  for (const auto& h : headers) {
    const std::string name = to_lower(h.name);
    if (std::find(std::begin(kNotTaken), std::end(kNotTaken), name) != std::end(kNotTaken))
      continue;
    if (rewritten && name == "content-type") continue;
    if (std::find(replaced.begin(), replaced.end(), name) == replaced.end()) {
      entry->headers.remove(name);
      replaced.push_back(name);
    }
    entry->headers.add(h.name, h.value);
  }
  // A date of our own, cut to the second, would count as up to a second of age.
  if (!headers.has("date")) entry->headers.remove("date");
  return entry;
}

void give_life(cache::Entry& entry, const policy::Lifetime& lifetime, WallTime sent_at,
               Duration cost) {
  entry.times = times_of(lifetime, sent_at, cost);
  if (!entry.headers.has("date")) entry.headers.add("Date", http::format_date(wall_now()));
  cache::encode_heads(entry);
}

std::string_view publish(Shield& shield, const FetchJob& job, const cache::EntryPtr& entry,
                         bool storable, const cache::Sharing& sharing) {
  if (job.key.empty() || job.solo) return "none";
  shield.forget_failure(job.flight->key());
  if (!sharing.shareable && !entry->negative) {
    mark_solo(shield, job.flight->key());
    return "solo";
  }
  if (job.flight->store_forbidden() || shield.purges().outdated(job.key, *entry)) return "none";
  if (job.method == "HEAD" && entry->negative) {  // without a body: for other HEADs only
    shield.store(job.flight->key(), entry);
    return "memory";
  }
  if (job.method != "GET" || (!storable && !entry->negative)) return "none";
  std::string key = job.key;
  if (!sharing.vary.empty()) {
    const auto names = tell_vary(shield, job.primary, sharing.vary);
    key = variant_key(job.primary, http::vary_values(names, job.headers));
  }
  const bool kept = shield.store(key, entry);
  // Outdated while it was being stored: whoever outdates marks the flights first and erases then,
  // so either we see the mark here or our entry is among what is erased.
  if (job.flight->store_forbidden()) {
    shield.erase(key);
    return "none";
  }
  if (!kept) return "none";
  return entry->in_file() ? "disk" : "memory";
}

void remember_failure(Shield& shield, const std::string& key, const cache::Failure& failure,
                      WallTime now, Duration keep) {
  auto entry = std::make_shared<cache::Entry>();
  entry->kind = cache::Entry::Kind::failure;
  entry->status = failure.status;
  entry->failure = failure;
  entry->times.stored_at = entry->times.birth = now;
  entry->times.expires = now + keep;
  entry->generation = shield.purges().now();
  shield.store(failure_key(key), std::move(entry));
}

void point_elsewhere(const std::string& url, const UpstreamUrl& upstream,
                     const OriginConfig& config, ports::OriginRequest& request) {
  const auto scheme = url.find("://");
  const auto slash = scheme == std::string::npos ? scheme : url.find('/', scheme + 3);
  if (slash == std::string::npos) return;
  request.base = url.substr(0, slash);
  request.target = url.substr(slash);
  if (iequals(request.base, upstream.base)) return;
  request.headers.remove("authorization");
  request.headers.remove("cookie");
  for (const auto& name : config.kind->credential_headers()) request.headers.remove(name);
}

}  // namespace tanggul::shield
