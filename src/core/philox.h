// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>

namespace bochner {

/// Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC 2011): four words that
/// are a pure function of a counter and a key.
inline std::array<std::uint64_t, 4> philox_words(const std::array<std::uint64_t, 4>& counter,
                                                 const std::array<std::uint64_t, 2>& key) {
  const r123::Philox4x64::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x64::ukey_type k = {{key[0], key[1]}};
  const r123::Philox4x64::ctr_type words = r123::Philox4x64()(c, k);
  return {words[0], words[1], words[2], words[3]};
}

}  // namespace bochner
