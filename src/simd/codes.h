// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "bochner/matrix_view.h"

namespace bochner::simd {

/// Bit i % 64 of words[i / 64] says whether values[i] >= 0 (so it is set for -0.0); bits past the last value are 0.
/// `words` has (values.size() + 63) / 64 entries. Exact on every target.
template <class T>
void pack_signs(std::span<const T> values, std::span<std::uint64_t> words);

/// distances[i] = bits in which `code` and row i of `codes` differ. Exact on every target.
void hamming(std::span<const std::uint64_t> code, MatrixView<const std::uint64_t> codes,
             std::span<std::uint32_t> distances);

}  // namespace bochner::simd
