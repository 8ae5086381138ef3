#pragma once

#include <span>
#include <string_view>

#include "subject.h"

namespace tanggul::bench {

// Where the bodies of a row's hits lie.
enum class Tier { memory, disk };

// A cache that stands beside ours.
struct Peer {
  std::string_view name;
  std::string_view program;
  bool has_disk = true;
  SubjectPtr (*start)(const test::ScriptedOrigin& origin, Tier tier) = nullptr;
};

// All of them, in the order of the report's columns.
std::span<const Peer> peers();
const Peer& peer(std::string_view name);

}  // namespace tanggul::bench
