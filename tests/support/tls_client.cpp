#include "support/tls_client.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <stdexcept>

namespace tanggul::test {
namespace {

int connect_to(std::uint16_t port, Duration patience) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval time{std::chrono::duration_cast<std::chrono::seconds>(patience).count(), 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd);
    throw std::runtime_error("cannot connect");
  }
  return fd;
}

}  // namespace

struct TlsClient::State {
  explicit State(int descriptor)
      : fd(descriptor), context(SSL_CTX_new(TLS_client_method())), ssl(SSL_new(context)) {
    SSL_set_fd(ssl, fd);
  }
  ~State() {
    SSL_free(ssl);
    SSL_CTX_free(context);
    ::close(fd);
  }
  int fd;
  SSL_CTX* context;
  SSL* ssl;
};

TlsClient::TlsClient(std::uint16_t port, Duration patience)
    : state_(std::make_unique<State>(connect_to(port, patience))) {
  ERR_clear_error();
  if (SSL_connect(state_->ssl) != 1) throw std::runtime_error("the handshake failed");
}

TlsClient::~TlsClient() = default;

void TlsClient::send(std::string_view bytes) {
  SSL_write(state_->ssl, bytes.data(), static_cast<int>(bytes.size()));
}

void TlsClient::end() { SSL_shutdown(state_->ssl); }

bool TlsClient::read_more() {
  char buffer[16384];
  ERR_clear_error();
  const int n = SSL_read(state_->ssl, buffer, sizeof buffer);
  if (n > 0) {
    read_.append(buffer, static_cast<std::size_t>(n));
    ++records_;  // SSL_read gives one at most, and the buffer is as large as they come
    return true;
  }
  const int error = SSL_get_error(state_->ssl, n);
  orderly_ = error == SSL_ERROR_ZERO_RETURN;
  cut_ = !orderly_ && error != SSL_ERROR_WANT_READ;  // that is patience's end
  return false;
}

std::string TlsClient::read_until(std::string_view mark) {
  while (read_.find(mark) == read_.npos && read_more()) {
  }
  const std::size_t at = read_.find(mark);
  const std::size_t size = at == read_.npos ? read_.size() : at + mark.size();
  std::string got = read_.substr(0, size);
  read_.erase(0, size);
  return got;
}

std::string TlsClient::read_all() {
  while (read_more()) {
  }
  return std::exchange(read_, {});
}

std::string TlsClient::subject() const {
  char name[256] = "";
  X509* peer = SSL_get1_peer_certificate(state_->ssl);
  if (peer != nullptr) X509_NAME_oneline(X509_get_subject_name(peer), name, sizeof name);
  X509_free(peer);
  return name;
}

}  // namespace tanggul::test
