#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "support/scripted_origin.h"

namespace tanggul::test {

using Dependencies = std::map<std::string, std::string>;

struct TestPackage {
  struct Version {
    Dependencies dependencies;
    std::string tarball;
  };
  std::map<std::string, Version> versions;
  std::string latest;
};

// An npm registry that counts: real tarballs, packuments full and abbreviated, ETags with 304,
// gzip, publishing. What it says of caching is what the public one says, the 304 that names less in
// Vary than its 200 did included. May be told to misbehave. Thread-safe.
class RegistryForTest {
 public:
  // `path`: what its addresses begin with, as a company's repository server has it; "/npm-local".
  explicit RegistryForTest(std::string path = "");
  RegistryForTest(const RegistryForTest&) = delete;
  RegistryForTest& operator=(const RegistryForTest&) = delete;

  ScriptedOrigin& origin() { return origin_; }
  std::string url() const { return origin_.url() + path_; }

  void add(const std::string& name, const std::string& version, Dependencies needs = {});
  void add_versions(const std::string& name, int count);  // 1.0.0 … 1.0.(count - 1)
  // Whoever brings one of the tokens sees the package, with the token's owner in its description.
  void make_private(const std::string& name, std::map<std::string, std::string> owner_of_token);

  void set_packument_cache_control(std::string value);
  // Where packuments say that tarballs lie, directly below; empty: in their usual place.
  void set_tarball_base(std::string url);
  void set_corrupt_tarballs(bool corrupt);  // of the right length, with other bytes
  void set_failure(int status);             // of every request from now on; 0: none

  std::vector<std::string> paths_of(const std::string& name) const;  // packument, newest tarball
  std::string tarball(const std::string& name, const std::string& version) const;
  std::uint64_t revalidations() const;  // 304 answers
  std::vector<SeenRequest> seen(std::string_view method, std::string_view path) const;

 private:
  Script respond(const SeenRequest& request);
  Script packument(const SeenRequest& request, const std::string& name) REQUIRES(mutex_);
  Script tarball_script(const std::string& name, std::string_view file) const REQUIRES(mutex_);
  Script publish(const SeenRequest& request, const std::string& name) REQUIRES(mutex_);
  Script own(const SeenRequest& request, std::string_view path) const REQUIRES(mutex_);
  std::string document(const std::string& name, bool full, const std::string& owner) const
      REQUIRES(mutex_);

  const std::string path_;
  mutable Mutex mutex_;
  std::map<std::string, TestPackage> packages_ GUARDED_BY(mutex_);
  std::map<std::string, std::map<std::string, std::string>> private_ GUARDED_BY(mutex_);
  std::string cache_control_ GUARDED_BY(mutex_) = "public, max-age=300";
  std::string tarball_base_ GUARDED_BY(mutex_);
  bool corrupt_ GUARDED_BY(mutex_) = false;
  int failure_ GUARDED_BY(mutex_) = 0;
  std::uint64_t revalidations_ GUARDED_BY(mutex_) = 0;
  ScriptedOrigin origin_;  // the last: its thread ends first
};

// What is in the gzip stream; empty if it is none.
std::string gunzip(std::string_view bytes);
std::string gzipped(std::string_view bytes);

}  // namespace tanggul::test
