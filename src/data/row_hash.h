// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bochner::data {

/// The finaliser of splitmix64 (Steele, Lea, Flood, 2014) on a row number moved by `salt`: neighbouring rows get
/// unrelated numbers, other salts unrelated sequences.
inline std::uint64_t row_hash(std::uint64_t row, std::uint64_t salt) {
  std::uint64_t z = row * 0x9e37'79b9'7f4a'7c15 + salt;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
  return z ^ (z >> 31);
}

}  // namespace bochner::data
