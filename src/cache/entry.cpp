#include "cache/entry.h"

#include <algorithm>

namespace tanggul::cache {
namespace {

ByteCount size_of(const http::Headers& headers) noexcept {
  ByteCount n = 0;
  for (const auto& h : headers) n += sizeof(h) + h.name.capacity() + h.value.capacity();
  return n;
}

ByteCount memory_of(const Body& body) noexcept {
  constexpr ByteCount kOpenFile = 256;
  return std::holds_alternative<FileBody>(body) ? kOpenFile : cache::size_of(body);
}

}  // namespace

ByteCount size_of(const Body& body) noexcept {
  if (const auto* bytes = std::get_if<SharedBytes>(&body)) return *bytes ? (*bytes)->size() : 0;
  return std::get<FileBody>(body).size;
}

const Form& Entry::form(bool gzip_accepted) const noexcept {
  if (gzip_accepted)
    for (const Form& f : forms)
      if (f.encoding == "gzip") return f;
  return forms.front();
}

const ArtifactDigest* Entry::digest_of(std::string_view file) const noexcept {
  const auto at = std::lower_bound(
      digests.begin(), digests.end(), file,
      [](const ArtifactDigest& r, std::string_view name) { return r.file < name; });
  return at != digests.end() && at->file == file ? &*at : nullptr;
}

ByteCount Entry::charge(std::string_view key) const noexcept {
  // Table node, queue node, control blocks, and what the allocator adds to each piece.
  constexpr ByteCount kBookkeeping = 320;
  ByteCount n = kBookkeeping + sizeof(Entry) + 2 * key.size() + size_of(headers);
  for (const Form& f : forms)
    n += sizeof(f) + f.head.capacity() + f.etag.capacity() + size_of(f.validators) +
         memory_of(f.body);
  for (const auto& d : digests)
    n += sizeof(d) + d.file.capacity() + d.url.capacity() + d.integrity.capacity() +
         d.sha1.capacity();
  for (const auto& v : vary) n += sizeof(v) + v.capacity();
  return n + tags.capacity() * sizeof(tags[0]);
}

bool Entry::in_file() const noexcept {
  return std::any_of(forms.begin(), forms.end(),
                     [](const Form& f) { return std::holds_alternative<FileBody>(f.body); });
}

bool Entry::current() const noexcept {
  return std::all_of(forms.begin(), forms.end(), [](const Form& f) {
    const auto* file = std::get_if<FileBody>(&f.body);
    return file == nullptr || file->file->current();
  });
}

void encode_heads(Entry& entry) {
  const std::string status = std::to_string(entry.status);
  const std::string_view reason = http::reason_phrase(entry.status);
  for (Form& form : entry.forms) {
    std::string& head = form.head;
    head.clear();
    head.reserve(256);
    head.append("HTTP/1.1 ").append(status).append(" ").append(reason).append("\r\n");
    for (const auto& h : entry.headers)
      head.append(h.name).append(": ").append(h.value).append("\r\n");
    if (!form.encoding.empty() && !entry.headers.has("content-encoding"))
      head.append("Content-Encoding: ").append(form.encoding).append("\r\n");
    if (!form.etag.empty() && !entry.headers.has("etag"))
      head.append("ETag: ").append(form.etag).append("\r\n");
    const auto* bytes = std::get_if<SharedBytes>(&form.body);
    const bool has_body = bytes == nullptr || *bytes != nullptr;
    if (has_body && entry.status != 204 && entry.status != 304)
      head.append("Content-Length: ").append(std::to_string(size_of(form.body))).append("\r\n");
    head.shrink_to_fit();
    form.validators = {};
    for (const char* name : {"etag", "last-modified", "date"})
      if (const auto value = entry.headers.find(name)) form.validators.add(name, *value);
    if (!form.etag.empty()) form.validators.set("etag", form.etag);
  }
}

}  // namespace tanggul::cache
