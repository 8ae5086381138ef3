#include "app/service/admin.h"

#include <openssl/crypto.h>

#include "adapters/prometheus/exposition.h"
#include "app/service/status_report.h"
#include "ports/plain_reply.h"

namespace tanggul::app {
namespace {

constexpr std::string_view kGates = "/.tanggul/gate/";

}  // namespace

Admin::Admin(shield::Shield& shield, const MetricSet& metrics, const std::atomic<bool>& draining,
             shield::Gate& gate, const shield::Cluster* cluster, AdminGuard guard)
    : shield_(shield),
      metrics_(metrics),
      draining_(draining),
      gate_(gate),
      cluster_(cluster),
      guard_(std::move(guard)) {}

int Admin::refusal(const http::RequestHead& head) const {
  const auto host_of = [](std::string_view authority) {
    if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
    return authority.substr(0, authority.find(':'));
  };
  const auto ours = [&](std::string_view host) {
    if (!guard_.loopback) return true;  // a name of this machine: the token decides
    return iequals(host, "localhost") || host == "127.0.0.1" || host == "[::1]" ||
           host == guard_.host;
  };
  if (!ours(host_of(head.find("host").value_or("localhost")))) return 403;
  if (const auto origin = head.find("origin")) {
    const auto scheme = origin->find("://");
    if (scheme == std::string_view::npos ||
        origin->substr(scheme + 3) != head.find("host").value_or(""))
      return 403;
  }
  // What browsers say of a page's request where they say nothing of its origin.
  const auto site = head.find("sec-fetch-site").value_or("none");
  if (site != "none" && site != "same-origin") return 403;
  if (guard_.loopback) return 0;
  const auto given = head.find("authorization").value_or("");
  constexpr std::string_view kScheme = "bearer ";  // in any case (RFC 9110 11.1)
  const std::string& wanted = guard_.token;
  const std::string_view token =
      iequals(given.substr(0, kScheme.size()), kScheme) ? given.substr(kScheme.size()) : "";
  const bool same = token.size() == wanted.size() &&
                    CRYPTO_memcmp(token.data(), wanted.data(), wanted.size()) == 0;
  return !guard_.token.empty() && same ? 0 : 401;
}

bool Admin::answer_now(ports::Call& call, ports::Reply& reply) {
  const std::string_view path = call.head.target.substr(0, call.head.target.find('?'));
  const bool reads = call.head.method == "GET" || call.head.method == "HEAD";
  reply.head_only = call.head.method == "HEAD";
  // These tell nothing that a job may not know, and need no token.
  const bool gate = path.starts_with(kGates),
             open = gate || path == "/healthz" || path == "/readyz";
  if (const int refused = open ? 0 : refusal(call.head); refused != 0) {
    ports::reply_with(reply, refused, "text/plain",
                      refused == 401 ? "a bearer token is needed\n" : "not from there\n");
  } else if (gate) {
    reply.head_only = false;
    return false;
  } else if (path == "/api/purge") {
    if (call.head.method == "POST") return false;
    ports::reply_with(reply, 405, "text/plain", "POST only\n");
  } else if (!reads) {
    ports::reply_with(reply, 405, "text/plain", "GET and HEAD only\n");
  } else if (path == "/metrics") {
    ports::reply_with(reply, 200, prometheus_text::kContentType, prometheus_text::expose(metrics_));
  } else if (path == "/healthz") {
    ports::reply_with(reply, 200, "text/plain", "ok\n");
  } else if (path == "/readyz") {
    // An open breaker does not make us unready: we are what protects from it.
    const bool draining = draining_.load();
    ports::reply_with(reply, draining ? 503 : 200, "text/plain", readiness());
  } else if (path == "/api/status") {
    ports::reply_with(reply, 200, "application/json", status());
  } else {
    ports::reply_with(reply, 404, "text/plain",
                      "/metrics /healthz /readyz /api/status /api/purge /.tanggul/gate/NAME\n");
  }
  return true;
}

std::string Admin::readiness() const {
  if (draining_.load()) return "draining\n";
  if (cluster_ == nullptr || cluster_->reachable()) return "ready\n";
  return "ready, degraded: alone, as the cluster cannot be reached\n";
}

Task<void> Admin::answer(ports::Call& call, ports::Reply& reply) {
  if (call.head.target.starts_with(kGates)) {
    co_await gate_.answer(call, reply);
  } else {
    co_await purge(call, reply);
  }
}

std::string Admin::status() const { return status_text(shield_, cluster_, started_); }

}  // namespace tanggul::app
