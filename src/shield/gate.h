#pragma once

#include "ports/handler.h"
#include "shield/outside.h"
#include "shield/routes.h"
#include "shield/shield.h"

namespace tanggul::shield {

// GET /.tanggul/gate/NAME: whether the origin serves, for jobs that had better not start before it
// does. One object a thread.
//
// With `Accept: text/event-stream` an event at once and at each change, until the client leaves:
//
//     event: origin
//     data: {"origin":"npm","serving":false,"breaker":"open",…}
//
// Otherwise one such JSON object: 200 when the origin serves, 503 when it does not, or not within
// the N seconds of `Prefer: wait=N`.
//
// It serves when its breaker is closed, it does not rest after a 429, and its last attempt did well
// within half a minute. Where nothing is known of it, as after a start, or its last attempt failed,
// one probe of ours finds out, shared by all who wait; while the breaker is open it stands at the
// end of the held ones.
class Gate final : public ports::Handler {
 public:
  Gate(Shield& shield, const Outside& outside, async::Executor executor)
      : shield_(shield), outside_(outside), executor_(executor) {}

  bool answer_now(ports::Call&, ports::Reply&) override { return false; }
  Task<void> answer(ports::Call& call, ports::Reply& reply) override;
  void finished(const ports::Call&, const ports::Reply&, ByteCount, ports::Sent) override {}

 private:
  class Visit;
  class Events;

  cache::FlightPtr join_probe(const UpstreamPtr& upstream);

  Shield& shield_;
  const Outside outside_;
  async::Executor executor_;
};

}  // namespace tanggul::shield
