#include "adapters/git/objects.h"

#include <algorithm>
#include <utility>

namespace tanggul::git {
namespace {

using ports::Reading;

using ports::Unread;

constexpr int kDeaths = 16;               // of one repository: then it is no repository
constexpr std::size_t kAbsent = 200'000;  // remembered; others cost a process each
constexpr std::size_t kLine = 1_KiB;

Expected<Objects::Size> answer(std::string_view line, const std::string& id) {
  const auto odd = [&] { return failed("an answer that is none: " + printable(line)); };
  if (!line.starts_with(id + " ")) return odd();
  line.remove_prefix(id.size() + 1);
  if (line == "missing") return Objects::Size{.unread = Unread::absent};
  const std::size_t space = line.find(' ');
  if (space == line.npos) return odd();
  const auto bytes = parse_decimal(line.substr(space + 1));
  if (!bytes) return odd();
  // A tree may call anything a file.
  if (line.substr(0, space) != "blob") return Objects::Size{*bytes, Unread::not_regular};
  return Objects::Size{*bytes};
}

}  // namespace

Objects::Objects(Repository repository, std::string commit)
    : repository_(std::move(repository)), commit_(std::move(commit)) {}

Expected<Objects::Size> Objects::size(const std::string& id) { return ask("info", id); }

Expected<Reading> Objects::read(const std::string& id, ByteCount limit,
                                const std::function<bool(std::string_view)>& sink) {
  const auto head = ask("contents", id);
  if (!head) return head.error();
  if (head->unread) {
    if (head->unread == Unread::not_regular) child_.reset();  // its contents are on their way
    return Reading{.unread = head->unread};
  }
  ByteCount given = 0;
  const ByteCount wanted = std::min(head->bytes, limit);
  while (given < wanted) {
    if (unread_.empty()) {
      const auto more = child_->read();
      if (!more) return child_.reset(), more.error();
      unread_ = *more;
      if (unread_.empty()) return child_.reset(), Reading{.unread = Unread::unreadable};
    }
    const std::string_view piece = unread_.substr(0, wanted - given);
    unread_.remove_prefix(piece.size());
    given += piece.size();
    if (!sink(piece)) break;
  }
  if (given < head->bytes) return child_.reset(), Reading{};
  const auto rest = line();  // the empty one after the contents
  if (!rest) return child_.reset(), rest.error();
  if (!*rest) child_.reset();
  return Reading{.whole = true};
}

Expected<Objects::Size> Objects::ask(std::string_view command, const std::string& id) {
  if (absent_ && absent_->contains(id)) return Size{.unread = Unread::absent};
  const bool fresh = !child_;
  if (fresh) {
    auto started = repository_.start({"cat-file", "--batch-command"}, kForever);
    if (!started) return started.error();
    child_ = std::move(*started);
    unread_ = {};
  }
  // One that cannot be written to has died, and its output ends.
  (void)child_->write(std::string(command) + " " + id + "\n");
  const auto said = line();
  if (!said) return child_.reset(), said.error();
  if (!*said) {
    auto why = died(id, fresh);
    // What ended one that has answered before need not have been this question.
    return why && !why->unread ? ask(command, id) : why;
  }
  auto out = answer(**said, id);
  if (!out) child_.reset();
  return out;
}

Expected<Objects::Size> Objects::died(const std::string& id, bool fresh) {
  const auto status = child_->wait();
  const std::string said = child_->complaint();
  child_.reset();
  if (!status) return status.error();
  if (!absent_) {
    const auto found = find_absent();
    if (!found) return found.error();
  }
  if (absent_->contains(id)) return Size{.unread = Unread::absent};
  if (!fresh) return Size{};
  if (++deaths_ > kDeaths) return failed(said);
  return Size{.unread = Unread::unreadable};
}

// All that this tree lacks by one command, rather than by one death each.
Expected<bool> Objects::find_absent() {
  absent_.emplace();
  auto child = repository_.start(
      {"rev-list", "--objects", "--no-object-names", "--missing=print", commit_ + "^{tree}"},
      repository_.latest());
  if (!child) return child.error();
  std::string pending;
  for (;;) {
    const auto bytes = (*child)->read();
    if (!bytes) return bytes.error();
    if (bytes->empty() || absent_->size() >= kAbsent) return true;
    pending += *bytes;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = pending.find('\n', begin)) != pending.npos; begin = end + 1) {
      if (pending[begin] == '?') absent_->insert(pending.substr(begin + 1, end - begin - 1));
    }
    pending.erase(0, begin);
    if (pending.size() > kLine) return true;  // no list of ids
  }
}

Expected<std::optional<std::string>> Objects::line() {
  std::string out;
  for (;;) {
    if (unread_.empty()) {
      const auto more = child_->read();
      if (!more) return more.error();
      unread_ = *more;
      if (unread_.empty()) return std::optional<std::string>();
    }
    const std::size_t end = unread_.find('\n');
    out += unread_.substr(0, end);
    unread_.remove_prefix(end == unread_.npos ? unread_.size() : end + 1);
    if (end != unread_.npos || out.size() > kLine) return std::optional(std::move(out));
  }
}

}  // namespace tanggul::git
