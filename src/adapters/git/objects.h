#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "adapters/git/run.h"
#include "ports/source_tree.h"

namespace tanggul::git {

// The blobs of a repository, by one `cat-file --batch-command` that is asked for one at a time. It
// dies of an object that a partial clone lacks, and is ended when less than a whole blob is wanted;
// the next question starts another.
class Objects {
 public:
  // `commit`: of whose tree the ids are.
  Objects(Repository repository, std::string commit);

  struct Size {
    ByteCount bytes = 0;
    std::optional<ports::Unread> unread{};
  };
  Expected<Size> size(const std::string& id);
  Expected<ports::Reading> read(const std::string& id, ByteCount limit,
                                const std::function<bool(std::string_view)>& sink);

 private:
  // Sends `COMMAND ID` and takes the line that answers it.
  Expected<Size> ask(std::string_view command, const std::string& id);
  // Why the child ended as it was asked for `id`. Without `unread`: for no reason known, ask again.
  Expected<Size> died(const std::string& id, bool fresh);
  Expected<bool> find_absent();
  // The next line of the answers; nullopt: there is none, the child has died.
  Expected<std::optional<std::string>> line();

  const Repository repository_;
  const std::string commit_;
  std::unique_ptr<process::Child> child_;                  // null: none runs
  std::string_view unread_;                                // of the child's latest bytes
  int deaths_ = 0;                                         // that no absent object explains
  std::optional<std::unordered_set<std::string>> absent_;  // nullopt: nobody has asked yet
};

}  // namespace tanggul::git
