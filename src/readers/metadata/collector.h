#pragma once

#include <exception>
#include <string>

#include "readers/metadata/document.h"
#include "readers/metadata/findings.h"

namespace tanggul::readers {

// Gathers what a reader finds, within bounds: a long name that every row repeats would multiply a
// text that is itself within its limit. Over the bound it takes no more and there is an error.
class Collector {
 public:
  void add(ModelIndexRow row);
  void add(Reference reference);
  void add_import(std::string_view path);
  void set(Model model) { metadata_.model = std::move(model); }
  void defect(std::uint32_t line, std::string message);
  void give_up(std::string_view why);
  // Takes over what the parser said.
  void take(Document& document);

  Metadata finish();

 private:
  bool fits(std::size_t bytes);

  Metadata metadata_;
  std::size_t bytes_ = 0, most_ = 0, defects_left_out_ = 0;
};

// Runs a reader over a document: read(root, collector).
template <class Read>
Metadata collect(Document document, const Read& read) {
  Collector collector;
  collector.take(document);
  try {
    read(document.tree.root(), collector);
  } catch (const std::exception& e) {
    collector.give_up(e.what());
  }
  return collector.finish();
}

}  // namespace tanggul::readers
