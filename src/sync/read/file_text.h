#pragma once

#include <string>
#include <string_view>

#include "ports/source_tree.h"

namespace tanggul::sync {

// A file's text as the readers take it: UTF-8, '\n' for line ends.
struct FileText {
  std::string text;
  ByteCount bytes = 0;  // of the file that the text stands for
  bool over = false;    // the file goes on; the text ends with a whole line
  std::string unread;   // why there is none: a Git LFS pointer, no text, gone
};

// Reads at most `limit` bytes; holds the text alone.
Expected<FileText> read_text(ports::SourceTree& tree, const ports::SourceFile& file,
                             ByteCount limit);

// For people: why a file could not be had.
std::string_view reason(ports::Unread why);
std::string readable(ByteCount bytes);  // "2 MiB"

}  // namespace tanggul::sync
