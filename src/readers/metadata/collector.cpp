#include "readers/metadata/collector.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"

namespace tanggul::readers {
namespace {

// Findings are some two times their text in real cards; one name that an alias or a row repeats
// makes them any size.
constexpr std::size_t kLeastBytes = 512_KiB, kMostBytes = 8_MiB, kTimes = 32;
constexpr std::size_t kMostDefects = 100;

}  // namespace

void Collector::add(ModelIndexRow row) {
  std::size_t bytes = sizeof row;
  for (const std::string* s :
       {&row.model, &row.task, &row.task_name, &row.dataset, &row.dataset_name, &row.config,
        &row.split, &row.revision, &row.metric, &row.metric_name, &row.value.text, &row.source_url,
        &row.source_name}) {
    bytes += s->size();
  }
  if (fits(bytes)) metadata_.rows.push_back(std::move(row));
}

void Collector::add(Reference reference) {
  const auto bytes =
      sizeof reference + reference.field.size() + reference.text.size() + reference.title.size();
  if (fits(bytes)) metadata_.references.push_back(std::move(reference));
}

void Collector::add_import(std::string_view path) {
  if (fits(sizeof(std::string) + path.size())) metadata_.imports.emplace_back(path);
}

bool Collector::fits(std::size_t bytes) {
  if (bytes > most_ - bytes_) {
    bytes_ = most_;  // no later, smaller one goes in between
    give_up("far more findings than text");
    return false;
  }
  bytes_ += bytes;
  return true;
}

void Collector::defect(std::uint32_t line, std::string message) {
  if (metadata_.defects.size() < kMostDefects) {
    metadata_.defects.push_back({line, std::move(message)});
  } else {
    ++defects_left_out_;
  }
}

void Collector::give_up(std::string_view why) {
  if (!metadata_.error) metadata_.error = why;
}

void Collector::take(Document& document) {
  metadata_.error = std::move(document.error);
  most_ = std::min<std::size_t>(kMostBytes, kLeastBytes + kTimes * document.size);
  for (Defect& d : document.defects) defect(d.line, std::move(d.message));
}

Metadata Collector::finish() {
  if (defects_left_out_ > 0) {
    metadata_.defects.push_back({0, fmt::format("{} more defects", defects_left_out_)});
  }
  return std::move(metadata_);
}

}  // namespace tanggul::readers
