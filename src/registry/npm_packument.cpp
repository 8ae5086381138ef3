#include "registry/npm_packument.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "registry/npm_artifacts.h"
#include "registry/npm_dists.h"

namespace tanggul::registry {
namespace {

constexpr std::size_t kLongestBase = 2048;
// Each version of a real document is longer than the address that it gets.
constexpr std::size_t kMostGrowth = 4;

// The text of a JSON string's inside, if all of it is ASCII, as URLs and our names are.
std::optional<std::string> unescaped(std::string_view raw) {
  constexpr std::string_view kFrom = "bfnrt", kTo = "\b\f\n\r\t";
  std::string out;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    const char c = raw[++i];
    const auto at = kFrom.find(c);
    if (c == 'u') {
      const auto bytes = from_hex(raw.substr(i + 1, 4));
      if (!bytes || bytes->size() != 2 || (*bytes)[0] != 0 || (*bytes)[1] < 0) return std::nullopt;
      out += (*bytes)[1];
      i += 4;
    } else {
      out += at == std::string_view::npos ? c : kTo[at];
    }
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out.append("\\u00").append(to_hex(std::string_view(&c, 1)));
    } else {
      out += c;
    }
  }
  return out;
}

// One walk over a document that is known to be JSON: there, a string before a colon is a name.
class Rewriter {
 public:
  Rewriter(std::string_view body, std::string prefix, const std::vector<std::string>& apart)
      : body_(body), prefix_(std::move(prefix)), apart_(apart) {}

  Result<std::string> run() {
    out_.reserve(body_.size() + body_.size() / 16);
    const std::size_t most = body_.size() * kMostGrowth + 1_MiB;
    std::size_t at = body_.find('"');
    while (at != std::string_view::npos) {
      const std::string_view name = string_at(at);
      std::size_t next = after_space(at + name.size() + 2);
      if (next < body_.size() && body_[next] == ':') {
        next = after_space(next + 1);
        if (next < body_.size() && body_[next] == '"' && is_tarball(name)) {
          const std::string_view url = string_at(next);
          replace(next + 1, url);
          if (out_.size() > most) return Errc::too_large;
          next += url.size() + 2;
        }
      }
      at = body_.find('"', next);
    }
    out_.append(body_.substr(copied_));
    return std::move(out_);
  }

 private:
  // The inside of the string whose opening quote is at `quote`.
  std::string_view string_at(std::size_t quote) const {
    std::size_t end = quote + 1;
    while (end < body_.size() && body_[end] != '"') end += body_[end] == '\\' ? 2 : 1;
    return body_.substr(quote + 1, std::min(end, body_.size()) - quote - 1);
  }
  std::size_t after_space(std::size_t at) const {
    return std::min(body_.find_first_not_of(" \t\r\n", at), body_.size());
  }
  static bool is_tarball(std::string_view raw) {
    if (raw.find('\\') == std::string_view::npos) return raw == "tarball";
    return unescaped(raw) == "tarball";
  }
  void replace(std::size_t at, std::string_view raw) {
    const auto url = unescaped(raw);
    const auto file = url ? artifact_file(*url) : std::nullopt;
    if (!file || std::binary_search(apart_.begin(), apart_.end(), *file)) return;
    out_.append(body_.substr(copied_, at - copied_)).append(prefix_).append(*file);
    copied_ = at + raw.size();
  }

  const std::string_view body_;
  const std::string prefix_;
  const std::vector<std::string>& apart_;
  std::string out_;
  std::size_t copied_ = 0;  // how much of the body is in out_
};

}  // namespace

Result<Rewritten> rewrite_npm_document(std::string_view body, const NpmPath& document,
                                       std::string_view base, std::string_view upstream) {
  if (base.size() > kLongestBase) return Errc::bad_input;
  auto dists =
      read_npm_dists(body, document.what == NpmPath::What::packument ? NpmDocument::packument
                                                                     : NpmDocument::manifest);
  if (!dists) return dists.error();
  Artifacts artifacts = artifacts_of(std::move(*dists), document.package, upstream);
  std::string prefix(base);
  append_plain(document.package, prefix);
  prefix += "/-/";
  auto text = Rewriter(body, escaped(prefix), artifacts.apart).run();
  if (!text) return text.error();
  return Rewritten{std::move(*text), std::move(artifacts.known)};
}

}  // namespace tanggul::registry
