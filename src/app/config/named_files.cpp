#include "app/config/named_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "adapters/beast/tls_context.h"

namespace tanggul::app {
namespace {

// False: it cannot be read, which has been told.
bool readable(const std::string& key, const std::string& path, FileFaults& faults) {
  if (path.empty() || ::access(path.c_str(), R_OK) == 0) return true;
  std::error_code ignored;
  std::string where;
  if (!path.starts_with('/'))  // relative to where we were started, which is easily mistaken
    where = " from " + std::filesystem::current_path(ignored).string();
  faults.errors.push_back(key + ": the file " + path + " cannot be read" + where +
                          "; name a PEM file that can");
  return false;
}

void check_tls(const ServerTls& tls, FileFaults& faults) {
  const bool cert = readable("tls.cert", tls.cert, faults);
  const bool key = readable("tls.key", tls.key, faults);
  if (!cert || !key || tls.cert.empty()) return;
  std::string error;
  const auto loaded = beast::TlsContext::load(tls.cert, tls.key, error);
  if (!loaded) return faults.errors.push_back("tls: " + error);
  switch ((*loaded)->validity(wall_now())) {
    case beast::TlsContext::Validity::valid:
      return;
    case beast::TlsContext::Validity::expired:
      return faults.warnings.push_back("tls.cert: the certificate in " + tls.cert +
                                       " has expired; clients will refuse it");
    case beast::TlsContext::Validity::not_yet:
      return faults.warnings.push_back("tls.cert: the certificate in " + tls.cert +
                                       " is not valid yet; clients will refuse it");
  }
}

bool holds_certificate(const std::string& path) {
  const std::unique_ptr<BIO, decltype(&::BIO_free)> file(::BIO_new_file(path.c_str(), "r"),
                                                         &::BIO_free);
  const std::unique_ptr<X509, decltype(&::X509_free)> first(
      file ? ::PEM_read_bio_X509_AUX(file.get(), nullptr, nullptr, nullptr) : nullptr,
      &::X509_free);
  ::ERR_clear_error();
  return first != nullptr;
}

// Whom to trust.
void check_authority(const std::string& key, const std::string& path, FileFaults& faults) {
  if (!readable(key, path, faults) || path.empty() || holds_certificate(path)) return;
  faults.errors.push_back(key + ": the file " + path +
                          " holds no PEM certificate; name one with those to trust");
}

}  // namespace

FileFaults faults_of_files(const Config& config) {
  FileFaults faults;
  check_tls(config.tls, faults);
  check_authority("cluster.ca", config.cluster.ca, faults);
  for (const auto& origin : config.shield.origins) {
    const std::string tls = "origins." + origin.name + ".tls.";
    check_authority(tls + "ca", origin.tls.ca, faults);
    readable(tls + "cert", origin.tls.cert, faults);
    readable(tls + "key", origin.tls.key, faults);
  }
  for (std::size_t i = 0; i < config.settings.size(); ++i) {
    const std::string& file = config.settings[i].sql.file;
    if (!file.empty() && !config.demo && ::access(file.c_str(), R_OK) != 0)
      faults.warnings.push_back("origins." + config.shield.origins[i].name +
                                ".database: the file " + file + " cannot be read");
  }
  return faults;
}

}  // namespace tanggul::app
