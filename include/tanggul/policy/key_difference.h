#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tanggul::policy {

// One missed key in its parts.
struct MissedKey {
  std::string target;            // path and query, as far as they are in the key
  std::uint64_t credential = 0;  // a hash, where it is in the key; 0: none
  std::uint64_t variant = 0;     // a hash of what Vary has selected; 0: nothing

  bool operator==(const MissedKey&) const = default;
};

// What keys differ in: that without which few of them would be left.
struct KeyDifference {
  enum class In { nothing_common, parameters, path_segments, credential, variant };
  In in = In::nothing_common;
  std::vector<std::string> parameters;  // "?ts=", made fit to be printed
  std::vector<std::size_t> segments;    // from 0
  std::string shape;                    // "/api/*/log"; "_" where few values take turns

  bool operator==(const KeyDifference&) const = default;
};

// The query parameter that tells them apart; else the fewest that do so together; else the segments
// of the path, the credential, the variant. It has to leave a tenth of the different keys at most,
// or else, if nothing does, half of them. Keys that are no different from each other differ in
// nothing common.
//
// Names come from clients. Only those of more than one key in sixteen are looked at by themselves,
// 16 at most; all others count as one parameter of ever-new names. No value and no credential is
// ever part of the result. Takes some 100 µs for 256 keys; the order of the keys does not matter.
KeyDifference key_difference(std::span<const MissedKey> keys);

// "they differ in ?ts=", "they differ in the 2nd path segment, /api/*/log": at most 200 printable
// ASCII characters.
std::string describe(const KeyDifference& difference);

}  // namespace tanggul::policy
