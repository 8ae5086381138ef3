#pragma once

#include <memory>
#include <string>

#include "adapters/folder/open_beneath.h"
#include "adapters/folder/walk.h"
#include "ports/source_tree.h"

namespace tanggul::folder {

// The files below a folder as they are now. What changes between listing and reading is read as it
// is then, or is unread; nothing that is swapped for a link leads out.
class FolderTree final : public ports::SourceTree {
 public:
  static Expected<std::unique_ptr<FolderTree>> open(const std::string& path,
                                                    WalkBounds bounds = {});

  Expected<ports::Listing> list(const std::function<bool(std::string_view path)>& wanted) override;
  Expected<ports::Reading> read(const ports::SourceFile& file, ByteCount limit,
                                const std::function<bool(std::string_view piece)>& sink) override;

 private:
  FolderTree(Descriptor root, WalkBounds bounds) : root_(std::move(root)), bounds_(bounds) {}
  Located find(const std::string& path) const;

  const Descriptor root_;  // O_PATH: the folder itself, wherever it is moved to
  const WalkBounds bounds_;
};

}  // namespace tanggul::folder
