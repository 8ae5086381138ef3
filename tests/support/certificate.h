#pragma once

#include <string>

#include "tanggul/base/clock.h"

namespace tanggul::test {

// A self-signed certificate for 127.0.0.1 and its key, P-256, as PEM.
struct Certificate {
  std::string cert, key;
};

struct CertificateSpec {
  Duration from = -1h, until = 24h;  // from now
  std::string pass_phrase;           // of the key; empty: not encrypted
};

Certificate make_certificate(const CertificateSpec& spec = {});

}  // namespace tanggul::test
