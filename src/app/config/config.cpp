#include "app/config/config.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "app/config/origin_config.h"
#include "app/config/section.h"
#include "app/config/url.h"
#include "base/utf8.h"

namespace tanggul::app {
namespace {

constexpr std::size_t kLargestFile = 1_MiB;

std::string default_data_dir(const Environment& environment) {
  // Relative values are to be ignored (XDG Base Directory Specification).
  if (const auto data = environment("XDG_DATA_HOME"); data && data->starts_with('/')) {
    return *data + "/tanggul";
  }
  if (const auto home = environment("HOME"); home && home->starts_with('/')) {
    return *home + "/.local/share/tanggul";
  }
  return {};
}

bool valid_network(const std::string& text) {
  boost::system::error_code ec;
  if (text.find('/') == std::string::npos) {
    boost::asio::ip::make_address(text, ec);
    return !ec;
  }
  boost::asio::ip::make_network_v4(text, ec);
  if (!ec) return true;
  boost::asio::ip::make_network_v6(text, ec);
  return !ec;
}

bool valid_origin_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

// Goes into keys of Redis, where braces mean something, and into lines that people read.
bool plain_word(std::string_view text) {
  return !text.empty() && is_utf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == '{' || c == '}';
  });
}

std::size_t visible(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > ' '; }));
}

bool valid_node_name(std::string_view name) { return name.size() <= 128 && plain_word(name); }

// Reads one file into one Config; its report gathers what is wrong.
class Reading {
 public:
  Reading(Report& report, const Overrides& overrides) : report_(report), overrides_(overrides) {}

  Config read(const YamlNode& root) {
    Section top(report_, &root, {}, "");
    read_addresses(top);
    read_process(top);
    read_client(top);
    read_tls(top);
    read_cluster(top);
    read_sync(top, config_.sync);
    refuse_lacking(top);
    read_origins(top);
    top.finish();
    check_addresses(top);
    check_mounts(top);
    check_own_tail(top);
    return std::move(config_);
  }

 private:
  void read_addresses(Section& top) {
    address(top, "listen", overrides_.listen, config_.listen);
    address(top, "admin", overrides_.admin, config_.admin);
    std::string url;
    if (!top.string("public_url", url)) return;
    Read<Url> read = read_url(url);
    if (!read.value) return top.wrong("public_url", read.wrong);
    if (!read.value->authorization.empty()) {
      return top.wrong("public_url", "carries a credential; leave it out");
    }
    config_.public_url = config_.shield.public_url = read.value->text();
  }

  void address(Section& top, std::string_view key, const std::optional<std::string>& override_with,
               std::string& out) {
    const bool set = top.string(key, out);
    if (override_with) out = *override_with;
    const Read<HostPort> read = read_host_port(out);
    if (read.value) return;
    if (override_with) {
      top.error(key, fmt::format("\"{}\" of the command line {}", out, read.wrong));
    } else if (set) {
      top.wrong(key, read.wrong);
    }
  }

  void read_process(Section& top) {
    if (top.string("admin_token_env", config_.admin_token_env)) {
      const auto token = report_.environment(config_.admin_token_env);
      if (!token || token->empty()) {
        top.warn("admin_token_env", fmt::format("the environment variable {} is not set; nothing "
                                                "outside loopback may change anything",
                                                mask_userinfo(config_.admin_token_env)));
      }
    }
    if (top.string("once_token_env", config_.once_token_env)) {
      const auto token = report_.environment(config_.once_token_env);
      if (!token || token->empty()) {
        top.warn("once_token_env", fmt::format("the environment variable {} is not set; nobody "
                                               "outside loopback may build once",
                                               mask_userinfo(config_.once_token_env)));
      }
    }
    top.duration("lease", config_.shield.lease_ttl, 1s);
    config_.data_dir = default_data_dir(report_.environment);
    top.string("data_dir", config_.data_dir);
    if (overrides_.data_dir) config_.data_dir = *overrides_.data_dir;
    if (config_.data_dir.empty()) {
      top.error("data_dir", "is missing, and there is no HOME to derive it from; write a path");
    }
    config_.shield.spool_directory = config_.data_dir;
    config_.threads = std::max(1U, std::thread::hardware_concurrency());
    top.integer("threads", config_.threads, 1, 256);
    Section cache = top.section("cache");
    cache.size("memory", config_.shield.memory, 1_MiB);
    cache.size("disk", config_.shield.disk);
    cache.choice<CacheSync>("sync", config_.cache_sync,
                            {{"none", CacheSync::none}, {"data", CacheSync::data}});
    cache.finish();
    top.choice<AccessLog>(
        "access_log", config_.access_log,
        {{"text", AccessLog::text}, {"json", AccessLog::json}, {"off", AccessLog::off}});
    top.duration("shutdown", config_.shutdown);
  }

  void read_client(Section& top) {
    for (std::string& network : top.strings("trusted_proxies")) {
      if (!valid_network(network)) {
        top.error("trusted_proxies",
                  fmt::format("\"{}\" is no address; write one like 10.0.0.1 or 10.0.0.0/8",
                              mask_userinfo(network)));
      }
      config_.trusted_proxies.push_back(std::move(network));
    }
    Section client = top.section("client");
    client.duration("header", config_.client.header, 1ms);
    client.duration("idle", config_.client.idle, 1ms);
    client.duration("stall", config_.client.stall, 1ms);
    client.integer("connections", config_.client.connections, 1, 10'000'000);
    client.choice<HalfClose>("half_close", config_.client.half_close,
                             {{"serve", HalfClose::serve}, {"leave", HalfClose::leave}});
    client.finish();
  }

  void read_tls(Section& top) {
    Section tls = top.section("tls");
    tls.string("cert", config_.tls.cert);
    tls.string("key", config_.tls.key);
    const bool cert = tls.has("cert"), key = tls.has("key");
    if (top.has("tls") && !tls.refused() && (!cert || !key)) {
      tls.error(cert ? "key" : "cert", "is missing; TLS towards clients needs both cert and key");
    }
    tls.finish();
  }

  void read_cluster(Section& top) {
    Section section = top.section("cluster");
    if (!top.has("cluster") || section.refused()) return section.finish();
    ClusterSettings& cluster = config_.cluster;
    std::string wrong;
    if (!section.string("redis", cluster.redis)) {
      if (!section.has("redis"))
        section.error("redis", "is missing; write redis://HOST:PORT/DATABASE");
    } else if (auto address = redis::RedisAddress::parse(cluster.redis, wrong)) {
      cluster.address = std::move(*address);
    } else {
      section.wrong("redis", wrong);
    }
    read_advertise(section, cluster);
    cluster.node = own_name(config_.listen);
    if (section.string("node", cluster.node) && !valid_node_name(cluster.node))
      section.wrong("node",
                    "is no name of a node; write 1 to 128 letters without spaces, braces and "
                    "control characters");
    section.string("ca", cluster.ca);
    read_secret(section, cluster);
    section.string("prefix", cluster.prefix);
    if (!plain_word(cluster.prefix))
      section.wrong("prefix", "is no beginning of a key; write one without spaces and braces");
    section.size("memory", cluster.memory, 1_MiB);
    section.finish();
  }

  // Two nodes of one machine differ in their ports.
  static std::string own_name(const std::string& listen) {
    char host[256] = "node";
    ::gethostname(host, sizeof host - 1);
    return std::string(host) + listen.substr(std::min(listen.rfind(':'), listen.size()));
  }

  void read_advertise(Section& section, ClusterSettings& cluster) {
    const Read<HostPort> own = read_host_port(config_.listen);
    const bool anywhere = own.value && own.value->wildcard();
    std::string text;
    if (section.string("advertise", text)) {
      const Read<Url> url = read_url(text);
      if (!url.value) return section.wrong("advertise", url.wrong);
      cluster.advertise = url.value->base();
      check_advertised(section, *url.value);
    } else if (section.has("advertise")) {
      return;  // told
    } else if (anywhere) {
      section.error("advertise",
                    "is missing, and listen names no address that other nodes could "
                    "reach; write a URL like http://10.0.0.1:8080");
    } else {
      cluster.advertise = (config_.tls.cert.empty() ? "http://" : "https://") + config_.listen;
      const bool redis_is_elsewhere = !cluster.address.hosts.empty() &&
                                      !cluster.address.hosts.front().name.starts_with("127.") &&
                                      cluster.address.hosts.front().name != "localhost" &&
                                      cluster.address.hosts.front().name != "::1";
      if (own.value && own.value->loopback() && redis_is_elsewhere)
        section.warn("redis",
                     "is another machine's, but this node is advertised on loopback, where "
                     "no other machine reaches it; write advertise");
    }
  }

  void check_advertised(Section& section, const Url& url) const {
    const bool tls = !config_.tls.cert.empty();
    if (!url.authorization.empty()) {
      section.wrong("advertise", "carries a credential; leave it out");
    } else if (!url.path.empty()) {
      section.wrong("advertise", "has a path; write a URL like http://10.0.0.1:8080");
    } else if (HostPort{url.host, url.port}.wildcard()) {
      section.wrong("advertise",
                    "names no address that other nodes could reach; write a URL like "
                    "http://10.0.0.1:8080");
    } else if (url.scheme == "https" && !tls) {
      section.warn("advertise",
                   "is https, and there is no tls; that is right only behind a proxy that speaks "
                   "TLS for this node");
    } else if (url.scheme == "http" && tls) {
      section.warn("advertise",
                   "is http, and listen speaks TLS; that is right only behind a proxy that speaks "
                   "TLS to this node");
    }
  }

  void read_secret(Section& section, ClusterSettings& cluster) {
    constexpr std::size_t kShortSecret = 16;
    const bool in_file = section.string("secret", cluster.secret);
    const bool named = section.string("secret_env", cluster.secret_env);
    const std::string_view key = section.has("secret_env") ? "secret_env" : "secret";
    if (section.has("secret") && section.has("secret_env"))
      return section.error("secret", "stands beside secret_env; keep one of them");
    if (section.has(key) && !in_file && !named) return;  // told
    if (named) cluster.secret = report_.environment(cluster.secret_env).value_or("");
    if (cluster.secret.empty()) {
      section.error(key,
                    "gives no secret, and nodes know each other by one; name a variable that "
                    "holds the same long random text on each node");
    } else if (visible(cluster.secret) < kShortSecret) {
      section.warn(key, "gives a secret of fewer than 16 visible characters, which can be guessed");
    }
  }

  static void refuse_lacking(Section& top) {
    static constexpr std::pair<std::string_view, std::string_view> kLacking[] = {
        {"rollout", "rollout controller"},
    };
    for (const auto& [key, what] : kLacking) {
      if (!top.has(key)) continue;
      top.know(key);
      top.error(key, fmt::format("this version has no {}; leave the key out", what));
    }
  }

  void read_origins(Section& top) {
    OriginDraft defaults;
    Section section = top.section("defaults");
    read_origin(section, defaults);
    config_.shield.once_max_object = defaults.config.max_object;
    config_.names_origins = top.has("origins");
    Section origins = top.section("origins");
    if (!config_.names_origins && overrides_.npm) return add_npm(defaults, *overrides_.npm);
    for (const YamlEntry& entry : origins.entries()) {
      if (!valid_origin_name(entry.key)) {
        origins.error(entry.key, "is no name; write 1 to 64 of a-z, 0-9, _ and -");
      }
      add_origin(entry.key, origins.section(entry.key), defaults);
    }
  }

  void add_origin(const std::string& name, Section section, OriginDraft draft) {
    draft.config.name = name;
    read_origin(section, draft);
    complete_origin(section, draft);
    config_.shield.origins.push_back(std::move(draft.config));
    config_.settings.push_back(std::move(draft.settings));
  }

  // As if the file said so.
  void add_npm(const OriginDraft& defaults, const std::string& upstream) {
    const auto word = [](const std::string& text) {
      return YamlNode{YamlNode::Type::scalar, {}, text, {}, {}};
    };
    YamlNode npm{YamlNode::Type::map, {}, {}, {}, {}};
    npm.entries = {
        {"kind", {}, word("npm")}, {"mount", {}, word("/npm/")}, {"upstream", {}, word(upstream)}};
    config_.names_origins = true;
    add_origin("npm", Section(report_, &npm, {}, "origins.npm"), defaults);
  }

  void check_addresses(Section& top) {
    const OwnAddresses own = own_addresses(config_);
    if (config_.listen == config_.admin && own.listen.port != 0) {
      top.error("admin", "is the address of listen too; write another port");
    }
    if (!own.admin.host.empty() && !own.admin.loopback() && config_.admin_token_env.empty()) {
      top.warn("admin",
               "is open to other machines, and without admin_token_env none of them may "
               "ask it anything");
    }
  }

  void check_mounts(Section& top) {
    Section origins = top.section("origins");
    std::map<std::string, std::string> owners;
    for (const auto& origin : config_.shield.origins) {
      if (origin.mount.empty()) continue;
      const auto [at, is_new] = owners.emplace(
          origin.mount_shape.empty() ? origin.mount : origin.mount_shape, origin.name);
      if (is_new) continue;
      Section section = origins.section(origin.name);
      section.error("mount", fmt::format("\"{}\" belongs to origin {} already; write another",
                                         origin.written_mount(), at->second));
    }
  }

  // What is asked of us must not come back to us.
  void check_own_tail(Section& top) {
    Section origins = top.section("origins");
    const OwnAddresses own = own_addresses(config_);
    for (const auto& origin : config_.shield.origins) {
      for (const auto& upstream : origin.upstreams) {
        const std::string text = upstream.base + upstream.path;
        const Read<Url> url = read_url(text);
        const std::string_view key = url.value ? own.key_of(*url.value) : "";
        if (key.empty()) continue;
        Section section = origins.section(origin.name);
        section.error("upstream", fmt::format("\"{}\" is our own address, that of {}; write the "
                                              "origin's",
                                              text, key));
      }
    }
  }

  Report& report_;
  const Overrides& overrides_;
  Config config_;
};

}  // namespace

OwnAddresses own_addresses(const Config& config) {
  OwnAddresses own;
  own.listen = read_host_port(config.listen).value.value_or(HostPort{});
  own.admin = read_host_port(config.admin).value.value_or(HostPort{});
  own.public_url = read_url(config.public_url).value;
  return own;
}

LoadedConfig parse_config(const std::string& text, const std::string& file_name,
                          const Overrides& overrides, const Environment& environment) {
  Report report{file_name, environment, {}, {}};
  LoadedConfig loaded;
  if (text.size() > kLargestFile) {
    loaded.errors.push_back(fmt::format("{}: is larger than 1MiB; no configuration is", file_name));
    return loaded;
  }
  YamlTree tree = read_yaml(text);
  report.errors = std::move(tree.faults);
  // A tree cut short by a syntax error would only say that everything is missing.
  const bool whole = tree.root.type != YamlNode::Type::null || report.errors.empty();
  if (whole) {
    Config config = Reading(report, overrides).read(tree.root);
    config.warnings = report.lines(report.warnings);
    if (report.errors.empty()) loaded.config = std::move(config);
  }
  loaded.errors = report.lines(report.errors);
  return loaded;
}

LoadedConfig load_config(const std::string& path, const Overrides& overrides,
                         const Environment& environment) {
  std::error_code ec;
  const bool directory = std::filesystem::is_directory(path, ec);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (directory || !file) {
    const char* why = directory ? "it is a directory" : std::strerror(errno);
    return {std::nullopt, {fmt::format("{}: cannot be read: {}", path, why)}};
  }
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_config(text, path, overrides, environment);
}

}  // namespace tanggul::app
