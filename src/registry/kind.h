#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "tanggul/http/message.h"
#include "tanggul/policy/freshness.h"

namespace tanggul::registry {

// What a registry's rules say about a request, before anything is looked up.
struct Classified {
  enum class Way {
    cached,   // through the cache
    pass,     // unshared and uncached: publish, login, audit …
    refused,  // no request of this kind: see Kind::refusal
  };
  Way way = Way::pass;
  policy::ResourceClass resource = policy::ResourceClass::generic;
  bool document = false;    // rewritten before it is stored: see Kind::rewrite
  std::size_t pattern = 0;  // index into Kind::patterns(), the label of the coalescing metrics
};

// How to ask the origin.
struct Plan {
  std::string target;          // raw path and query below the upstream's own path; begins with '/'
  std::string url;             // absolute, where the artifact lies elsewhere; else empty
  http::Headers headers;       // what the shared request carries of its own (Accept)
  bool fixed_headers = false;  // `headers` is all; else the selecting ones of the client are added
};

// Why a request is answered by us, before anything is looked up.
struct Refusal {
  int status = 400;
  std::string detail;  // of the problem's type, and of Cache-Status
  std::string title, text;
  std::string allow;  // the methods that there are, where it was the method
};

// A digest that a body must have, raw bytes.
struct Expected {
  DigestKind kind;
  std::string value;
};

struct Rewritten {
  std::string body;
  std::vector<ArtifactDigest> digests;  // sorted by file
};

// Which documents may hold the digest of the artifact that a request names.
struct DigestSource {
  std::vector<std::string> keys;  // as classify() writes them
  std::string file;
};

// How one kind of registry keys, asks and verifies: functions over bytes, no sockets, no state that
// changes. Thread-safe.
//
// `rest` is the raw target below the mount and begins with '/'. `base` is the address of the mount
// as the client uses it, without a slash at its end: documents are rewritten to it.
class Kind {
 public:
  virtual ~Kind() = default;

  virtual std::string_view name() const = 0;  // as the configuration calls it
  // The one line that points a client at the mount; empty: any HTTP client will do.
  virtual std::string client_line(std::string_view) const { return {}; }
  // Labels for key_pattern where the configuration names none.
  virtual std::vector<std::string> patterns(std::string_view origin) const = 0;
  // Appends the key to `key`; allocates nothing else, as every hit comes through here.
  virtual Classified classify(const http::RequestHead& request, std::string_view rest,
                              std::string_view base, std::string& key) const = 0;
  // For what classify() has refused.
  virtual Refusal refusal(const http::RequestHead&, std::string_view) const { return {}; }
  // Whether a target below the mount is of this kind at all: 0 is no. Of several origins with the
  // same mount the one with the highest number is meant.
  virtual std::size_t serves(std::string_view) const noexcept { return 1; }
  virtual Plan plan(const http::RequestHead& request, std::string_view rest,
                    const Classified& what) const = 0;
  // For documents only: the whole decoded body in, the form for clients out. `upstream` is the
  // upstream's URL without a slash at its end.
  virtual Result<Rewritten> rewrite(std::string_view body, std::string_view rest,
                                    std::string_view base, std::string_view upstream) const = 0;
  virtual DigestSource digest_source(std::string_view rest, std::string_view base) const = 0;
  // The strongest digest that `artifact` names; nullopt if it names none that we know.
  virtual std::optional<Expected> expected(std::string_view integrity,
                                           std::string_view sha1) const = 0;
  // Prefixes of the keys, as classify() writes them, whose documents and remembered failures are
  // out of date once a request that writes to `rest` has succeeded (RFC 9111 4.4). For registries
  // only: elsewhere it is the target itself.
  virtual std::vector<std::string> written(std::string_view) const { return {}; }
  // Whether a client's credential means anything to the origin. Else it is neither sent nor keyed.
  virtual bool takes_credentials() const { return true; }
  // Has private packages: keyed strictly by credential, Set-Cookie and Cookie ignored, 404
  // remembered.
  virtual bool is_registry() const = 0;
  // Where a HEAD tells whether the registry serves at all, any answer below 500 being a yes.
  virtual std::string probe_target() const { return "/"; }
  // Header names beside Authorization and Cookie that carry a credential of this kind.
  virtual std::vector<std::string> credential_headers() const { return {}; }
};

}  // namespace tanggul::registry
