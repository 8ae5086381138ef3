#include "app/client/once.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ostream>

#include "app/client/once_command.h"
#include "app/client/once_shield.h"
#include "app/client/output_file.h"
#include "app/config/config.h"
#include "http/repr_digest.h"
#include "tanggul/base/random.h"

namespace tanggul::app {
namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using State = OnceClaim::State;

constexpr Duration kNobodyThere = 5s;  // a shield that restarts is back by then
constexpr Duration kOneClaim = 20s;    // then it is asked anew
constexpr Duration kFirstPause = 200ms, kLongestPause = 2s;
constexpr int kMostUploads = 5, kMostBrokenFetches = 20;

// 2 and 75 have a meaning of their own here.
int told(int status) { return status == kWrongUsage || status == kStillDown ? kFailed : status; }

class OnceClient {
 public:
  OnceClient(const OnceQuery& query, const Console& console)
      : query_(query), console_(console), shield_(query.via, query.key, query.token) {}

  int run() {
    signals_.add(SIGCHLD);
    asio::co_spawn(io_, obtain(), [this](const std::exception_ptr& failed, int result) {
      if (failed) std::rethrow_exception(failed);
      finish(result);
    });
    asio::co_spawn(io_, heed_signals(), asio::detached);
    io_.run();
    return result_;
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) const {
    console_.err << "once: " << fmt::format(text, std::forward<Args>(args)...) << std::endl;
  }

  void finish(int result) {
    result_ = result;
    io_.stop();
  }

  asio::awaitable<void> sleep(Duration d) {
    asio::steady_timer timer(io_, d);
    co_await timer.async_wait(use_awaitable);
  }

  // --- the whole ---

  asio::awaitable<int> obtain() {
    const MonoTime begun = MonoClock::now(), end = begun + query_.wait;
    MonoTime heard = begun;
    Duration pause = kFirstPause;
    for (;;) {
      const MonoTime asked = MonoClock::now();
      // The first answer comes at once: whoever waits is told for whom.
      const Duration wait = std::clamp<Duration>(end - asked, Duration::zero(),
                                                 told_who_ ? kOneClaim : Duration::zero());
      const OnceClaim claim = co_await shield_.claim(wait);
      const MonoTime now = MonoClock::now();
      if (claim.state != State::away) heard = now;
      std::optional<int> result;
      switch (claim.state) {
        case State::ready:
          result = co_await fetch();
          break;
        case State::build:
          result = co_await build(claim.lease);
          break;
        case State::failed:
          say("{} was tried by {} and ended with {}", query_.key, claim.by, claim.status);
          co_return claim.status;
        case State::building:
          if (now >= end) {
            say("{} is still being built by {}", query_.key, claim.by);
            co_return kStillDown;
          }
          if (!told_who_) say("{} is being built by {}; waiting", query_.key, claim.by);
          told_who_ = true;
          break;
        case State::refused:
          say("{} refuses: {}", shield_.url().text(), claim.why);
          co_return kWrongUsage;
        case State::away:
          if (now - heard >= kNobodyThere) result = co_await build_alone(claim.why);
          break;
      }
      if (result) co_return *result;
      if (claim.state == State::ready && ++broken_fetches_ > kMostBrokenFetches) {
        say("{} is there, but does not come whole", query_.key);
        co_return kFailed;
      }
      // Neither a shield that stops nor one that comes back is asked without a breath.
      if (now - asked >= kOneClaim / 2) continue;
      co_await sleep(kFirstPause / 4 + thread_rng().upto(pause));
      pause = claim.state == State::building ? kFirstPause : std::min(2 * pause, kLongestPause);
    }
  }

  // nullopt: it is to be asked again.
  asio::awaitable<std::optional<int>> fetch() {
    OutputFile file(query_.output);
    bool written = true;
    int why = 0;
    const auto sink = [&](std::string_view bytes) {
      written = file.write(bytes);
      why = errno;
      return written;
    };
    const Transferred got = co_await shield_.download(sink);
    if (!written) {
      say("{} cannot be written: {}", query_.output, std::strerror(why));
      co_return kFailed;
    }
    if (got.status != 200 || !got.error.empty()) co_return std::nullopt;
    const auto sum = http::sha256_of_repr_digest(got.header("repr-digest"));
    if (!sum || *sum != file.sha256()) {
      say("what came is not what it should be; asking again");
      co_return std::nullopt;
    }
    if (!file.publish()) {
      say("{} cannot be written: {}", query_.output, std::strerror(errno));
      co_return kFailed;
    }
    say("{} was built by {}", query_.key, printable(got.header("x-tanggul-built-by")));
    co_return kDone;
  }

  // --- building ---

  asio::awaitable<int> build_alone(std::string why) {
    if (built_) co_return kDone;
    if (query_.require) {
      say("the shield at {} cannot be asked: {}", shield_.url().text(), why);
      co_return kFailed;
    }
    say("the shield at {} cannot be asked ({}): building for this machine alone",
        shield_.url().text(), why);
    const int status = co_await run_command();
    co_return told(status);
  }

  // nullopt: it was in vain, somebody else has the lease.
  asio::awaitable<std::optional<int>> build(OnceLease lease) {
    lease_ = std::move(lease);
    ++builds_;
    asio::co_spawn(io_, keep_lease(builds_), asio::detached);
    if (!built_) {
      const int status = co_await run_command();
      if (status != 0) {
        // An interruption says nothing of the build: another may try at once.
        if (interrupted_ != 0) {
          co_await give_lease_back();
        } else if (lease_) {
          co_await shield_.fail(*lease_, told(status));
        }
        co_return told(status);
      }
      built_ = true;
    }
    const auto result = co_await share();
    lease_.reset();
    co_return result;
  }

  // Its status; 1 also when it has made no file.
  asio::awaitable<int> run_command() {
    if (!command_.start(query_.command, query_.output)) {
      say("no process could be had: {}", std::strerror(errno));
      co_return kFailed;
    }
    while (!command_.status()) {
      boost::system::error_code woken;
      ended_.expires_after(1s);
      co_await ended_.async_wait(asio::redirect_error(use_awaitable, woken));
    }
    const int status = *command_.status();
    if (status != 0 || InputFile(query_.output).is_file()) co_return status;
    say("the command has ended well, but there is no file {}", query_.output);
    co_return kFailed;
  }

  // Renews it as long as it is that of this build.
  asio::awaitable<void> keep_lease(int build) {
    while (lease_ && build == builds_) {
      co_await sleep(lease_->ttl / 3);
      if (!lease_ || build != builds_) co_return;
      if (uploading_) continue;
      const OnceLease lease = *lease_;
      const int status = co_await shield_.renew(lease);
      if (status != 409 || uploading_ || !lease_ || build != builds_) continue;
      say("the lease is lost: somebody else may be building {}; the command goes on", query_.key);
      co_return;
    }
  }

  asio::awaitable<void> give_lease_back() {
    if (!lease_) co_return;
    const OnceLease lease = *lease_;
    lease_.reset();
    co_await shield_.release(lease);
  }

  // Reads it to its end, others having a turn meanwhile.
  asio::awaitable<std::optional<std::string>> digest_of(int file, ByteCount size) {
    constexpr std::size_t kPiece = 1_MiB;
    Digest digest(DigestKind::sha256);
    std::string piece(kPiece, '\0');
    for (ByteCount at = 0; at < size;) {
      const ssize_t n = ::pread(file, piece.data(), kPiece, static_cast<off_t>(at));
      if (n <= 0) co_return std::nullopt;
      digest.update(std::string_view(piece).substr(0, static_cast<std::size_t>(n)));
      at += static_cast<ByteCount>(n);
      co_await asio::post(io_, use_awaitable);
    }
    co_return digest.finish();
  }

  // Hands the file to the shield for the others. It is here in any case, unless somebody else's
  // counts: then nullopt.
  asio::awaitable<std::optional<int>> share() {
    std::string why;
    for (int i = 0; i < kMostUploads; ++i) {
      if (i > 0) co_await sleep(kFirstPause + thread_rng().upto(kLongestPause));
      const InputFile file(query_.output);
      const auto sum = co_await digest_of(file.descriptor(), file.size());
      if (!file.is_file() || !sum) {
        why = "it cannot be read";
        continue;
      }
      uploading_ = true;
      const Transferred answer =
          co_await shield_.upload(*lease_, file.descriptor(), file.size(), *sum);
      uploading_ = false;
      if (answer.status == 200) co_return kDone;
      if (answer.status == 409) {
        say("the lease was lost: what somebody else has built counts");
        co_return std::nullopt;
      }
      why = answer.status == 0 ? answer.error : fmt::format("{}{}", answer.status, told_by(answer));
      if (answer.status >= 400 && answer.status < 500 && answer.status != 422) break;
    }
    say("{} was built, but could not be shared: {}", query_.output, why);
    co_await give_lease_back();
    co_return query_.require ? kFailed : kDone;
  }

  // --- signals ---

  asio::awaitable<void> heed_signals() {
    for (;;) {
      const int number = co_await signals_.async_wait(use_awaitable);
      if (number == SIGCHLD) {
        ended_.cancel();
        continue;
      }
      interrupted_ = number;
      if (command_.alive()) {
        command_.signal(number);
        continue;
      }
      co_await give_lease_back();
      finish(128 + number);
    }
  }

  const OnceQuery& query_;
  const Console& console_;
  OnceShield shield_;
  asio::io_context io_{1};
  asio::signal_set signals_{io_, SIGINT, SIGTERM, SIGHUP};
  asio::steady_timer ended_{io_};
  OnceCommand command_;
  std::optional<OnceLease> lease_;  // ours, as far as we know
  bool built_ = false;              // the command has ended well
  bool told_who_ = false;
  bool uploading_ = false;  // then the shield itself keeps the lease
  int broken_fetches_ = 0;
  int builds_ = 0, interrupted_ = 0, result_ = kFailed;
};

}  // namespace

int build_once(const OnceQuery& query, const Console& console) {
  return OnceClient(query, console).run();
}

std::optional<Url> shield_url(const std::string& config, const std::string& via,
                              const Environment& environment, const Console& console) {
  Config used;
  if (!config.empty()) {
    const LoadedConfig loaded = load_config(config, {}, environment);
    for (const std::string& error : loaded.errors)
      console.err << "error: " << printable(error) << '\n';
    if (!loaded.config) return std::nullopt;
    used = *loaded.config;
  }
  std::string text = via;
  if (text.empty()) {
    HostPort at = read_host_port(used.listen).value.value_or(HostPort{});
    if (at.wildcard()) at.host = "127.0.0.1";
    text = fmt::format("{}://{}:{}", used.tls.cert.empty() ? "http" : "https", at.host, at.port);
  }
  const Read<Url> url = read_url(text);
  if (url.value) return url.value;
  console.err << fmt::format("error: --via: \"{}\" is no http or https URL; write one like {}\n",
                             mask_userinfo(text), "http://127.0.0.1:8080");
  return std::nullopt;
}

}  // namespace tanggul::app
