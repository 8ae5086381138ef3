#pragma once

#include <optional>
#include <string>

#include "ports/cloner.h"
#include "ports/web.h"
#include "sync/work/job_end.h"

namespace tanggul::sync {

// What a first look at a remote repository has shown.
struct Place {
  std::optional<ports::Remote> remote;  // nullopt: there is none to clone, and `end` says why
  bool moved = false;                   // for good, from where it was asked for to `remote`
  JobEnd end = JobEnd::transient;       // gone, busy, timeout or transient
  std::string reason;                   // of what is gone, a word: "not_found"
  std::string detail;
  std::optional<Duration> retry_after;
};

// Asks for the refs of the repository at `url`, following redirects, as git would first
// (gitprotocol-http(5), smart HTTP). A URL without ".git" where nothing lies is tried with it.
// A host is busy where it says so (429, 503); a forge that many repositories lie on is also when it
// cannot be reached or fails. Then no job is at fault; of other hosts the job is.
Place look_at(ports::Web& web, const std::string& url, MonoTime until);

}  // namespace tanggul::sync
