#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ports/handler.h"
#include "registry/kind.h"
#include "shield/deliver.h"
#include "shield/fetch.h"
#include "shield/shield.h"
#include "shield/steps.h"
#include "tanggul/http/cache_control.h"
#include "tanggul/policy/serve.h"

namespace tanggul::shield {

// The walk of steps.h for the requests of one thread. What threads share lies in Shield.
class Pipeline final : public ports::Handler {
 public:
  // `ours` answers what lies below /.tanggul/, whatever is mounted at /; null: nothing.
  Pipeline(Shield& shield, const Outside& outside, async::Executor executor,
           ports::Handler* ours = nullptr);
  // Takes up what a reload has changed. On the pipeline's own thread.
  void adopt(RoutesPtr routes) { routes_ = std::move(routes); }

  bool answer_now(ports::Call& call, ports::Reply& reply) override;
  Task<void> answer(ports::Call& call, ports::Reply& reply) override;
  void finished(const ports::Call& call, const ports::Reply& reply, ByteCount bytes,
                ports::Sent end) override;

 private:
  // One request on its way down.
  struct Walk {
    ports::Call& call;
    ports::Reply& reply;
    const Upstream* upstream = nullptr;  // lives as long as `keep`, or up to the next co_await
    UpstreamPtr keep;
    std::string_view rest;  // the target below the mount, begins with '/'
    registry::Classified what;
    http::CacheControl asked;       // the client's Cache-Control, or Pragma
    std::string credential;         // hashed; empty: none, or not the client's
    std::string primary;            // the key without variant
    std::string key;                // with it
    std::string flight_key;         // what requests must share to share a flight
    std::vector<std::string> vary;  // request headers known to select a variant
    // What recall() has brought: a small memory may have let go of it before it is looked up.
    cache::EntryPtr recalled, recalled_variant;
    std::vector<cache::EntryPtr>
        documents;            // of the artifact that is asked for, as document_keys()
    cache::EntryPtr stored;   // a response, fresh or not
    cache::EntryPtr failure;  // a remembered failure of the last fetch
    bool solo = false;        // answers to this key may not be shared
    bool of_part = false;     // its Range has gone on
    int variants_tried = 0;
    policy::Serve serve = policy::Serve::miss;
    ports::Patience patience;  // with what the nodes share
    Now now;
    MonoTime deadline;
    MonoTime hold_until;   // while the breaker is open: this long it waits for the origin
    bool unheld = false;   // will not be held, or no longer
    bool prefers = false;  // its own Prefer: wait=N has set both
    Trace trace;
    std::shared_ptr<Interims> interims;  // of that fetch, for its starter
    std::string flight_trace;            // of the fetch that this request started
  };

  // The steps, in their order; each false or "done" ends the walk with a reply.
  bool route(Walk& w);
  bool key(Walk& w, std::string_view base = {});
  static void refuse(Walk& w);
  Task<void> recall(Walk& w);
  Task<void> recall_shared(Walk& w);
  Task<void> look_elsewhere(Walk& w, std::string key);
  void take_copies(Walk& w, const std::string& key, const ports::SharedCopies& copies,
                   cache::Generation generation);
  void lookup(Walk& w);
  bool serve(Walk& w);
  Task<void> flight(Walk& w);
  Task<void> part(Walk& w);
  Task<void> pass(Walk& w);
  Task<void> alone(Walk& w, bool let_go);

  class Held;
  enum class Followed { answered, not_ours, again };
  Task<Followed> follow(Walk& w, cache::FlightPtr flight, bool leader, bool let_go);
  Followed answer_from(Walk& w, const cache::FlightPtr& flight, bool leader, bool let_go);
  bool is_too_large_to_wait_for(const Walk& w, const cache::Flight::View& view) const;
  bool is_alike(const Walk& w, const cache::Sharing& sharing, bool leader) const;
  bool may_have(const Walk& w, const cache::Flight::View& view, bool leader, bool shared) const;
  void deliver(Walk& w, const cache::FlightPtr& flight, const cache::Flight::View& view,
               Provenance how);
  void outdate_target(const std::string& key);
  void outdate_written(const Walk& w, const cache::Flight::View& view);
  void deliver_failed(Walk& w, const cache::Failure& failure, Provenance how);

  void serve_stored(Walk& w, Outcome outcome, std::string_view detail);
  bool serve_stale_on_error(Walk& w);
  bool serve_negative(Walk& w);
  bool serve_part(Walk& w);
  bool wants_range(const Walk& w) const;
  void refresh(Walk& w);
  FetchJob job_for(const Walk& w) const;
  std::vector<std::string> document_keys(const Walk& w, std::string& file) const;
  Task<void> recall_documents(Walk& w);
  void find_digest(const Walk& w, FetchJob& job) const;
  std::string_view forward_reason(const Walk& w) const;
  void write_base(Walk& w, std::string_view instead);
  std::string flight_key_of(const Walk& w, std::string key, std::string_view method) const;
  cache::FlightTable::Joined join_flight(Walk& w);
  void take_interims(Walk& w, FetchJob& job);
  Task<void> pass_interims(Walk& w);
  void launch(std::string_view task, FetchJob job);

  bool would_hold(const Walk& w) const;
  void deliver_unheld(Walk& w, Provenance how);

  // A look for copies that is on its way, and who else waits for it.
  struct Look {
    bool over = false;
    std::vector<async::WaiterPtr> waiting;
  };
  using Looks = std::unordered_map<std::string, std::shared_ptr<Look>>;
  struct EndOfLook {
    std::shared_ptr<Looks> looks;  // which may outlast the pipeline in what its loop still held
    std::string id;
    std::shared_ptr<Look> look;
    ~EndOfLook() {
      look->over = true;
      looks->erase(id);
      for (const auto& w : look->waiting) w->wake();
    }
  };

  Shield& shield_;
  const std::shared_ptr<Looks> looks_ = std::make_shared<Looks>();
  RoutesPtr routes_;
  ports::Handler* const ours_;
  const Outside outside_;
  async::Executor executor_;
};

}  // namespace tanggul::shield
