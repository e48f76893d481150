// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace bochner {

/// The finaliser of splitmix64 (Steele, Lea, Flood, 2014): inputs that differ little give unrelated outputs.
inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
  return z ^ (z >> 31);
}

/// Hash of a row number and a `salt`: neighbouring rows get unrelated numbers, other salts unrelated sequences.
inline std::uint64_t row_hash(std::uint64_t row, std::uint64_t salt) {
  return mixed(row * 0x9e37'79b9'7f4a'7c15 + salt);
}

/// The hash of the numbers of a row, float as double and -0 as 0, continued from `hash`. Two different rows have the
/// same hash with probability 2^-64, some two of n rows with about n^2 2^-65.
template <class T>
std::uint64_t numbers_hash(std::span<const T> row, std::uint64_t hash) {
  for (const T number : row) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(double(number) + 0.0)) * 0x9e37'79b9'7f4a'7c15;
    hash ^= hash >> 32;
  }
  return mixed(hash);
}

}  // namespace bochner
