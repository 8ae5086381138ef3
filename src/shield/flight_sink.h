#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/digest.h"
#include "cache/flight.h"
#include "ports/origin.h"
#include "registry/kind.h"
#include "shield/interims.h"
#include "tanggul/policy/freshness.h"

namespace tanggul::shield {

// Takes one attempt's response into a flight. It decides when the head goes out to those who wait:
// bodies of up to kHeld are held until whole, so that a short or failed one can still be retried or
// answered in another way; longer ones stream; event streams pass at once.
class FlightSink final : public ports::ResponseSink {
 public:
  static constexpr ByteCount kHeld = 64_KiB;

  // A body that readers have the beginning of goes on only as the same: what another answer with
  // this entity tag and length brings from byte 0 is passed over up to where they are.
  struct Resumption {
    int status = 0;
    std::string etag;  // strong
    ByteCount length = 0;
    std::string encoding;
  };

  // What the attempt may do with what it gets. Fixed before it starts.
  struct Rules {
    bool document = false;      // rewritten when whole: never streamed, decoded by the origin port
    bool as_sent = false;       // failures of the origin are passed on with their bodies
    bool revalidating = false;  // 304 is an answer to our own condition
    bool registry = false;      // whose cookies are nobody\'s
    bool pass = false;          // nothing is held: a passed-through response goes out as it comes
    std::shared_ptr<Interims> interims;  // whoever wants them; null: nobody
    ByteCount max_object = 10_GiB;
    std::optional<ByteCount> whole_up_to;  // of a longer one only a range is wanted
    std::optional<registry::Expected> digest;
    std::optional<Resumption> resumption;
    ports::OriginTimeouts timeouts;
    // The disk does not take the rest, `size` or more, for the reason in `error` (errno): whether
    // to try again.
    std::function<bool(int error, ByteCount size)> make_room;
  };
  // Judges a head: how it may be stored and shared.
  using Judge = std::function<policy::Lifetime(int status, const http::Headers&)>;
  using Share = std::function<cache::Sharing(const policy::Lifetime&, const http::Headers&)>;

  FlightSink(cache::Flight& flight, Rules rules, Judge judge, Share share);

  void on_interim(http::ResponseHead head) override {
    if (rules_.interims) rules_.interims->put(std::move(head));
  }
  bool on_head(http::ResponseHead head, ports::BodyFraming framing,
               std::optional<ByteCount> length) override;
  bool on_data(std::string_view bytes) override;
  bool ready() override;

  bool has_head() const noexcept { return head_.status != 0; }
  bool exposed() const noexcept { return exposed_; }  // readers have the head: no second try
  int status() const noexcept { return head_.status; }
  const http::Headers& headers() const noexcept { return head_.headers; }
  http::Headers& headers() noexcept { return head_.headers; }
  const std::optional<ByteCount>& length() const noexcept { return length_; }
  ports::BodyFraming framing() const noexcept { return framing_; }
  const policy::Lifetime& lifetime() const noexcept { return lifetime_; }
  std::optional<Errc> refusal() const noexcept { return refusal_; }  // why it returned false
  bool body_kept() const noexcept { return !drop_body_; }
  bool unstored() const noexcept { return windowed_; }  // the disk did not take the body
  bool digest_fits();                                   // once, at the end
  // By which a body that broke off may go on; nullopt: nothing proves that another is the same.
  std::optional<Resumption> resumption() const;

  static bool retryable_status(int status) noexcept {
    return status == 500 || status == 502 || status == 503 || status == 504;
  }

 private:
  bool append(std::string_view bytes);
  void expose();
  bool goes_on_as(const Resumption& before) const;
  bool worth_holding() const;
  bool refuse(Errc why) noexcept {
    refusal_ = why;
    return false;
  }

  cache::Flight& flight_;
  const Rules rules_;
  const Judge judge_;
  const Share share_;
  http::ResponseHead head_;
  ports::BodyFraming framing_ = ports::BodyFraming::none;
  std::optional<ByteCount> length_;
  policy::Lifetime lifetime_;
  std::optional<Digest> digest_;
  std::optional<Errc> refusal_;
  bool drop_body_ = false;  // an error's body that nobody will see
  bool exposed_ = false;
  bool windowed_ = false;
  ByteCount passed_over_ = 0;  // still to be, after a resumption
};

}  // namespace tanggul::shield
