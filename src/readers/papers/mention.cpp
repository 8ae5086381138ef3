#include "readers/papers/mention.h"

namespace tanggul::readers {

std::string_view name(EvidenceKind kind) {
  switch (kind) {
    case EvidenceKind::link:
      return "link";
    case EvidenceKind::badge:
      return "badge";
    case EvidenceKind::text:
      return "text";
    case EvidenceKind::doi:
      return "doi";
    case EvidenceKind::bibtex:
      return "bibtex";
    case EvidenceKind::code:
      return "code";
    case EvidenceKind::front_matter:
      return "front_matter";
    case EvidenceKind::model_index:
      return "model_index";
    case EvidenceKind::citation:
      return "citation";
    case EvidenceKind::codemeta:
      return "codemeta";
  }
  return "text";
}

}  // namespace tanggul::readers
