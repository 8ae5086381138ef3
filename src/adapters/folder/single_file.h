#pragma once

#include <memory>
#include <string>

#include "ports/source_tree.h"

namespace tanggul::folder {

// A tree of one file, under its own name. The path is the user's word: links in it are followed.
class SingleFile final : public ports::SourceTree {
 public:
  static Expected<std::unique_ptr<SingleFile>> open(const std::string& path);

  Expected<ports::Listing> list(const std::function<bool(std::string_view path)>& wanted) override;
  Expected<ports::Reading> read(const ports::SourceFile& file, ByteCount limit,
                                const std::function<bool(std::string_view piece)>& sink) override;

 private:
  explicit SingleFile(std::string path);

  const std::string path_, name_;
};

}  // namespace tanggul::folder
