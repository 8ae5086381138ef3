#include "adapters/git/command.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tanggul::git {
namespace {

// Over the repository's own configuration, which git reads all the same.
constexpr std::array kReading{
    "core.hooksPath=/dev/null",       //
    "core.fsmonitor=false",           //
    "core.untrackedCache=false",      //
    "core.symlinks=false",            //
    "core.pager=cat",                 //
    "core.askPass=/bin/false",        //
    "core.sshCommand=/bin/false",     //
    "core.attributesFile=/dev/null",  //
    "core.commitGraph=false",         // a cache that could disagree with the commits
    "core.useReplaceRefs=false",      // what HEAD says, not what stands in for it
    "core.bigFileThreshold=4m",       // larger blobs are streamed, not inflated in memory
    "credential.helper=",             //
    "protocol.allow=never",           //
    "gc.auto=0",                      //
    "maintenance.auto=false",         //
    "safe.directory=*",               // it is read, whoever owns it
    "safe.bareRepository=explicit",   // and --git-dir says which
};

// What a server may neither make git do nor leave behind.
constexpr std::array kFetching{
    "core.hooksPath=/dev/null",       //
    "core.fsmonitor=false",           //
    "core.symlinks=false",            //
    "core.askPass=/bin/false",        //
    "core.sshCommand=/bin/false",     //
    "core.bigFileThreshold=4m",       //
    "credential.helper=",             //
    "protocol.version=2",             // refs that are not asked for are not sent
    "protocol.allow=never",           //
    "protocol.http.allow=always",     // whether http is one, the place was looked at for
    "protocol.https.allow=always",    //
    "transfer.fsckObjects=true",      //
    "transfer.bundleURI=false",       // CVE-2025-48385
    "transfer.credentialsInUrl=die",  //
    "fetch.uriProtocols=",            // no packs from elsewhere
    "submodule.recurse=false",        //
    "http.followRedirects=false",     //
    "http.proxy=",                    //
    "http.emptyAuth=false",           //
    "http.cookieFile=",               //
    "http.postBuffer=65536",          //
    "pack.threads=1",                 // memory is for one
    "pack.windowMemory=64m",          //
    "core.deltaBaseCacheLimit=32m",   //
    "gc.auto=0",                      //
    "maintenance.auto=false",         //
    "init.defaultBranch=main",        //
    "safe.directory=*",               //
};

// The entry of curl's table of hosts, for http.curloptResolve: HOST:PORT:ADDRESS.
std::string resolved(const RemotePlace& place) {
  const std::size_t scheme = place.url.find("://");
  if (scheme == std::string::npos || place.address.empty()) return {};
  const bool tls = place.url.starts_with("https");
  std::string authority = place.url.substr(scheme + 3);
  authority.resize(std::min(authority.find('/'), authority.size()));
  const std::size_t colon = authority.rfind(':');
  // An address is its own, and no name server has a say in it.
  if (authority.starts_with('[') || authority.find_first_not_of("0123456789.:") == authority.npos)
    return {};
  const bool has_port = colon != authority.npos && authority.find(']', colon) == authority.npos;
  if (!has_port) authority += tls ? ":443" : ":80";
  const bool v6 = place.address.find(':') != std::string::npos;
  return authority + ":" + (v6 ? "[" + place.address + "]" : place.address);
}

std::string path() {
  const char* const set = std::getenv("PATH");
  return std::string("PATH=") + (set && *set ? set : "/usr/local/bin:/usr/bin:/bin");
}

// Of every git that we run: nothing of this machine's settings, nobody is asked, nothing is fetched
// by itself.
std::vector<std::string> environment(std::vector<std::string> more) {
  std::vector<std::string> out{
      path(),
      "HOME=/nonexistent",
      "LC_ALL=C",
      "GIT_CONFIG_NOSYSTEM=1",
      "GIT_CONFIG_GLOBAL=/dev/null",
      "GIT_ATTR_NOSYSTEM=1",
      "GIT_TERMINAL_PROMPT=0",
      "GIT_ASKPASS=/bin/false",
      "GIT_SSH_COMMAND=/bin/false",
      "GIT_NO_LAZY_FETCH=1",
      "GIT_LFS_SKIP_SMUDGE=1",
  };
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::vector<std::string> environment_of_reading() {
  return environment({
      "GIT_ALLOW_PROTOCOL=",  // none
      "GIT_NO_REPLACE_OBJECTS=1",
      "GIT_OPTIONAL_LOCKS=0",
  });
}

std::vector<std::string> environment_of_fetching(const RemotePlace& place) {
  const auto patience = std::chrono::ceil<std::chrono::seconds>(place.silence).count();
  auto out = environment({
      "GIT_ALLOW_PROTOCOL=http:https",
      "GIT_HTTP_LOW_SPEED_LIMIT=1000",
      "GIT_HTTP_LOW_SPEED_TIME=" + std::to_string(std::max<long>(1, patience)),
      "NO_PROXY=*",
  });
  if (!place.ca.empty()) out.push_back("GIT_SSL_CAINFO=" + place.ca);
  return out;
}

void add_settings(const auto& settings, std::vector<std::string>& args) {
  for (const char* const setting : settings) {
    args.emplace_back("-c");
    args.emplace_back(setting);
  }
}

}  // namespace

process::Command git_command(const std::string& program, const std::string& git_dir,
                             std::vector<std::string> args) {
  process::Command out{{program, "--no-pager", "--git-dir=" + git_dir}, environment_of_reading()};
  add_settings(kReading, out.args);
  for (std::string& arg : args) out.args.push_back(std::move(arg));
  return out;
}

process::Command remote_command(const std::string& program, const RemotePlace& place,
                                std::vector<std::string> args) {
  process::Command out{{program, "--no-pager"}, environment_of_fetching(place)};
  add_settings(kFetching, out.args);
  if (const std::string entry = resolved(place); !entry.empty()) {
    out.args.emplace_back("-c");
    out.args.push_back("http.curloptResolve=" + entry);
  }
  for (std::string& arg : args) out.args.push_back(std::move(arg));
  return out;
}

}  // namespace tanggul::git
