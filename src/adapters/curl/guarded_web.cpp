#include "adapters/curl/guarded_web.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cstring>
#include <optional>
#include <utility>

#include "adapters/curl/address_rules.h"
#include "adapters/curl/redirects.h"
#include "base/utf8.h"
#include "http/retry_after.h"

namespace tanggul::curl {
namespace {

namespace ip = boost::asio::ip;
using ports::WebAnswer;
using ports::WebRequest;

constexpr Duration kConnect = 10s, kAnswer = 30s;
// Below this for kAnswer a body counts as stalled.
constexpr long kLeastRate = 1000;

struct EasyEnd {
  void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
};
struct ListEnd {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};

std::optional<ip::address> address_of(const sockaddr& address) {
  if (address.sa_family == AF_INET)
    return ip::make_address_v4(
        ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
  if (address.sa_family != AF_INET6) return std::nullopt;
  ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, 16);
  return ip::make_address_v6(bytes);
}

// One request and its answer, without what it may redirect to.
struct Exchange {
  bool internal_allowed = false;
  bool refused_address = false;
  ByteCount limit = 0;
  WebAnswer answer;
  std::string location;
  char words[CURL_ERROR_SIZE] = {};
};

// Where the socket is opened, whatever a name server says between a look and a connection.
curl_socket_t on_open(void* of, curlsocktype, curl_sockaddr* to) noexcept {
  auto& exchange = *static_cast<Exchange*>(of);
  const std::optional<ip::address> address = address_of(to->addr);
  if (!exchange.internal_allowed && (!address || is_internal_address(*address))) {
    exchange.refused_address = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

std::size_t on_body(char* bytes, std::size_t size, std::size_t n, void* of) noexcept {
  auto& exchange = *static_cast<Exchange*>(of);
  const std::size_t room = exchange.limit - exchange.answer.body.size();
  exchange.answer.body.append(bytes, std::min(room, size * n));
  if (size * n <= room) return size * n;
  exchange.answer.whole = false;
  return 0;  // ends the transfer
}

std::string header(CURL* easy, const char* name) {
  curl_header* found = nullptr;
  return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
}

Errc code_of(CURLcode code, CURL* easy, MonoTime until) {
  // libcurl counts whole milliseconds of its own clock.
  if (code == CURLE_OPERATION_TIMEDOUT && until - MonoClock::now() < 50ms) return Errc::deadline;
  curl_off_t connected = 0;
  curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connected);
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return connected == 0 ? Errc::connect_timeout : Errc::stalled;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
      return Errc::refused;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
      return Errc::reset;
    default:
      return Errc::bad_response;
  }
}

class GuardedWeb final : public ports::Web {
 public:
  explicit GuardedWeb(GuardedWebConfig config)
      : config_(std::move(config)), easy_(curl_easy_init()) {}

  Expected<WebAnswer> get(const WebRequest& request) override {
    std::string url = request.url;
    const auto first = canonical_base(url);
    bool moved = true;
    for (int hop = 0; hop <= kMaxRedirects; ++hop) {
      const auto base = canonical_base(url);
      if (!base) return Failure{Errc::redirect, "this is no URL of http or https"};
      // Where a stranger's host leads to is not what the operator has trusted.
      const bool is_trusted = trusted(*base) && base == first;
      if (!is_trusted && !base->starts_with("https://"))
        return Failure{Errc::forbidden_address, "only https is followed, and this is http"};
      Exchange exchange{.internal_allowed = is_trusted, .limit = request.limit};
      if (auto failure = ask(url, request, exchange)) return *failure;
      if (!is_redirect(exchange.answer.status) || exchange.location.empty()) {
        exchange.answer.moved = moved && hop > 0;
        return std::move(exchange.answer);
      }
      moved = moved && (exchange.answer.status == 301 || exchange.answer.status == 308);
      const auto next = next_hop({*base, target_of(url)}, exchange.location);
      if (!next) return Failure{Errc::redirect, "a redirect leads to what is no such URL"};
      url = next->base + next->target;
    }
    return Failure{Errc::redirect, fmt::format("more than {} redirects", kMaxRedirects)};
  }

 private:
  bool trusted(const std::string& base) const {
    const std::string authority = base.substr(base.find("://") + 3);
    std::string host = authority;
    if (const std::size_t colon = host.rfind(':');
        colon != host.npos && host.find(']', colon) == host.npos)
      host.resize(colon);
    return std::any_of(config_.trusted.begin(), config_.trusted.end(),
                       [&](const std::string& t) { return t == host || t == authority; });
  }

  static std::string target_of(const std::string& url) {
    const std::size_t path = url.find('/', url.find("://") + 3);
    return path == url.npos ? "/" : url.substr(path);
  }

  // Nullopt: there is an answer.
  std::optional<Failure> ask(const std::string& url, const WebRequest& request,
                             Exchange& exchange) {
    CURL* const easy = easy_.get();
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(request.until - MonoClock::now());
    if (request.until != kForever && left.count() <= 0)
      return Failure{Errc::deadline, "there was no time left"};
    std::unique_ptr<curl_slist, ListEnd> headers;
    for (const std::string& line : request.headers)
      headers.reset(curl_slist_append(headers.release(), line.c_str()));
    curl_easy_reset(easy);
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_PROXY, "");
    set(CURLOPT_USERAGENT, config_.user_agent.c_str());
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_ERRORBUFFER, exchange.words);
    set(CURLOPT_OPENSOCKETFUNCTION, on_open);
    set(CURLOPT_OPENSOCKETDATA, &exchange);
    set(CURLOPT_WRITEFUNCTION, on_body);
    set(CURLOPT_WRITEDATA, &exchange);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_MAXCONNECTS, 4L);
    set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(kConnect));
    set(CURLOPT_LOW_SPEED_LIMIT, kLeastRate);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(kAnswer / 1s));
    if (request.until != kForever) set(CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
    if (!config_.ca.empty()) set(CURLOPT_CAINFO, config_.ca.c_str());
    const CURLcode code = curl_easy_perform(easy);
    if (exchange.refused_address)
      return Failure{Errc::forbidden_address,
                     "it lies at an address of this host or its neighbourhood"};
    if (code != CURLE_OK && exchange.answer.whole)
      return Failure{code_of(code, easy, request.until),
                     to_utf8(printable(exchange.words[0] != '\0' ? exchange.words
                                                                 : curl_easy_strerror(code)))};
    finish(exchange, url);
    return std::nullopt;
  }

  void finish(Exchange& exchange, const std::string& url) {
    WebAnswer& answer = exchange.answer;
    long status = 0;
    char* address = nullptr;
    curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy_.get(), CURLINFO_PRIMARY_IP, &address);
    answer.status = static_cast<int>(status);
    answer.url = url;
    answer.address = address == nullptr ? "" : address;
    answer.content_type = header(easy_.get(), "Content-Type");
    answer.retry_after = http::parse_retry_after(header(easy_.get(), "Retry-After"), wall_now());
    exchange.location = header(easy_.get(), "Location");
  }

  template <class Option, class Value>
  void set(Option option, Value value) {
    curl_easy_setopt(easy_.get(), option, value);
  }
  static long milliseconds(Duration d) {
    return static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(d).count());
  }

  const GuardedWebConfig config_;
  const std::unique_ptr<CURL, EasyEnd> easy_;
};

}  // namespace

std::unique_ptr<ports::Web> make_guarded_web(GuardedWebConfig config) {
  return std::make_unique<GuardedWeb>(std::move(config));
}

}  // namespace tanggul::curl
