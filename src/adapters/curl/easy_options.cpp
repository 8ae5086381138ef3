#include <curl/curl.h>
#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <cstdlib>
#include <cstring>

#include "adapters/curl/transfer.h"
#include "base/bytes.h"

// How a request is told to libcurl, and the C callbacks. None of these lets an exception out.
namespace tanggul::curl {
namespace {

// Runs a callback's body; what it throws ends the transfer and not the process.
template <class T, class F>
T guarded(void* transfer, T on_throw, F body) noexcept {
  auto& t = *static_cast<Transfer*>(transfer);
  try {
    return body(t);
  } catch (const std::exception& e) {
    t.fail(Errc::internal, e.what());
  } catch (...) {
    t.fail(Errc::internal, "not a std::exception");
  }
  return on_throw;
}

std::size_t on_header(char* bytes, std::size_t size, std::size_t n, void* transfer) noexcept {
  const std::string_view line(bytes, size * n);
  const bool taken = guarded<bool>(transfer, false, [&](Transfer& t) { return t.on_header(line); });
  return taken ? line.size() : 0;
}

std::size_t on_write(char* bytes, std::size_t size, std::size_t n, void* transfer) noexcept {
  const std::string_view piece(bytes, size * n);
  const auto taken = guarded<Transfer::Body>(transfer, Transfer::Body::refused,
                                             [&](Transfer& t) { return t.on_body(piece); });
  if (taken == Transfer::Body::wait) return CURL_WRITEFUNC_PAUSE;
  return taken == Transfer::Body::taken ? piece.size() : 0;
}

std::size_t on_read(char* to, std::size_t size, std::size_t n, void* transfer) noexcept {
  return guarded<std::size_t>(transfer, CURL_READFUNC_ABORT,
                              [&](Transfer& t) { return t.on_read(to, size * n); });
}

int on_prereq(void* transfer, char* primary_ip, char*, int, int) noexcept {
  return guarded<int>(transfer, CURL_PREREQFUNC_ABORT, [&](Transfer& t) {
    return t.may_send(primary_ip) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
  });
}

std::string address_text(const sockaddr& address) {
  namespace ip = boost::asio::ip;
  if (address.sa_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(address);
    return ip::make_address_v4(ntohl(in.sin_addr.s_addr)).to_string();
  }
  if (address.sa_family != AF_INET6) return {};
  ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, 16);
  return ip::make_address_v6(bytes).to_string();
}

curl_socket_t on_open(void* transfer, curlsocktype, curl_sockaddr* address) noexcept {
  return guarded<curl_socket_t>(transfer, CURL_SOCKET_BAD, [&](Transfer& t) {
    if (!t.may_open(address_text(address->addr))) return CURL_SOCKET_BAD;
    const int fd = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    // Out of files is our own shortage and must not be held against the origin.
    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) t.fail(Errc::io, "out of files");
    return fd;
  });
}

bool is_framing(std::string_view name) {
  return iequals(name, "content-length") || iequals(name, "transfer-encoding") ||
         iequals(name, "expect");
}

// An empty value needs a semicolon, and a colon alone takes away what libcurl would add.
curl_slist* append(curl_slist* list, std::string_view name, std::string_view value) {
  std::string line(name);
  line += value.empty() ? std::string(";") : ": " + std::string(value);
  return curl_slist_append(list, line.c_str());
}

bool is_safe(const http::Header& h) {
  static constexpr std::string_view kBreaks("\r\n\0", 3);
  return !h.name.empty() && h.name.find_first_of(kBreaks) == h.name.npos &&
         h.name.find_first_of(":; ") == h.name.npos &&
         h.value.find_first_of(kBreaks) == h.name.npos;
}

bool is_safe_target(std::string_view target) {
  for (const char c : target) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) return false;
  }
  return target.starts_with('/') || target == "*";
}

// Whether libcurl might send this by way of a plain HTTP proxy, whose requests carry the whole URL.
bool proxy_may_apply(std::string_view base) {
  if (!base.starts_with("http:")) return false;  // https goes through a tunnel, in origin form
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    const char* value = std::getenv(name);
    if (value && *value) return true;
  }
  return false;
}

void set_target(void* easy, const Hop& to) {
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  if (proxy_may_apply(to.base)) {
    // libcurl makes the absolute form from the URL's own raw path; CURLOPT_REQUEST_TARGET would
    // stand in its place. What a URL cannot hold, `*`, goes to a proxy as no path.
    curl_easy_setopt(easy, CURLOPT_URL, (to.base + (to.target == "*" ? "" : to.target)).c_str());
    return;
  }
  curl_easy_setopt(easy, CURLOPT_URL, (to.base + "/").c_str());
  curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, to.target.c_str());
}

void set_tls(void* easy, const ports::OriginTls& tls, bool crossed) {
  if (!tls.ca.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, tls.ca.c_str());
    // The upstream itself is trusted by its own CA alone; where it redirects to, by the system's
    // as well.
    if (!crossed) curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  }
  if (crossed || tls.cert.empty()) return;
  curl_easy_setopt(easy, CURLOPT_SSLCERT, tls.cert.c_str());
  curl_easy_setopt(easy, CURLOPT_SSLKEY, tls.key.empty() ? tls.cert.c_str() : tls.key.c_str());
}

void set_method(void* easy, const std::string& method, const Upload* upload) {
  if (upload) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, static_cast<long>(Upload::kBuffer));
    const auto length = upload->length();
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
                     length ? static_cast<curl_off_t>(*length) : curl_off_t{-1});
  } else if (method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (upload || method != "GET") curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
}

void set_callbacks(void* easy, Transfer* t) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, t);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_write);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, t);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
  curl_easy_setopt(easy, CURLOPT_READDATA, t);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_prereq);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, t);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, t);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

void set_connection(void* easy, const CurlConfig& config, const ports::OriginRequest& request) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // giving up must not wait for the resolver
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, 24L * 3600);  // ours end it sooner
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, request.fresh_connection ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, static_cast<long>(config.max_idle.count()));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 64L * 1024);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   request.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, request.http2 ? 1L : 0L);
}

curl_slist* header_lines(const HopRequest& hop, bool upload) {
  curl_slist* list = nullptr;
  for (const http::Header& h : hop.headers) {
    if (is_framing(h.name) || (hop.request->decode && iequals(h.name, "accept-encoding"))) continue;
    list = append(list, h.name, h.value);
  }
  if (hop.request->decode) list = append(list, "Accept-Encoding", "gzip");
  const std::string& m = hop.request->method;
  if (!upload && (m == "POST" || m == "PUT" || m == "PATCH")) {
    list = append(list, "Content-Length", "0");  // RFC 9110 8.6
  }
  for (const char* name : {"Accept", "User-Agent", "Expect"}) {
    if (!hop.headers.has(name) || is_framing(name)) {
      list = curl_slist_append(list, (std::string(name) + ":").c_str());
    }
  }
  return list;
}

}  // namespace

bool configure(Transfer& t) {
  const HopRequest& hop = t.hop_;
  if (!is_safe_target(hop.to.target) ||
      hop.request->method.find_first_of(" \r\n") != std::string::npos) {
    return false;
  }
  for (const http::Header& h : hop.headers) {
    if (!is_safe(h)) return false;
  }
  t.lines_ = header_lines(hop, t.upload_ != nullptr);
  curl_easy_setopt(t.easy_, CURLOPT_ERRORBUFFER, t.words_);
  curl_easy_setopt(t.easy_, CURLOPT_HTTPHEADER, t.lines_);
  set_target(t.easy_, hop.to);
  set_tls(t.easy_, hop.request->tls, hop.crossed);
  set_method(t.easy_, hop.request->method, t.upload_.get());
  set_callbacks(t.easy_, &t);
  set_connection(t.easy_, t.config_, *hop.request);
  return true;
}

}  // namespace tanggul::curl
