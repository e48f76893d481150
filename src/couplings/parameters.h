// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>

#include "bochner/registry.h"
#include "core/parameter.h"
#include "simd/fwht.h"

namespace bochner {

/// D = `block`: a block of directions is drawn in R^D, and inputs are padded with zeros (only the first d columns of W
/// are ever needed). For m > d one block of D >= m rows has a smaller error than several blocks of d.
inline constexpr Parameter kBlock = {
    .name = "block",
    .standard = "d",
    .allowed = "a whole number >= d, or 'auto'",
    .meaning =
        "dimension of the space in which a block of directions is drawn; 'auto': what the closed form finds best",
    .accepts = [](const Value& value, std::size_t) { return is_count(value) || is_word(value, "auto"); },
    .fallback = [](std::size_t d) -> Value { return static_cast<double>(d); },
};

/// Largest block of a fast transform.
inline constexpr std::size_t kLargestFastBlock = simd::kLargestHadamard;

inline bool is_fast_block(const Value& value) {
  return is_count(value) && std::get<double>(value) <= static_cast<double>(kLargestFastBlock) &&
         std::has_single_bit(static_cast<std::size_t>(std::get<double>(value)));
}

/// `block` of the couplings made of fast transforms.
inline constexpr Parameter kFastBlock = {
    .name = "block",
    .standard = "the next power of two >= d",
    .allowed = "a power of two from d to 2^20, or 'auto'",
    .meaning = kBlock.meaning,
    .accepts = [](const Value& value, std::size_t) { return is_fast_block(value) || is_word(value, "auto"); },
    .fallback = [](std::size_t d) -> Value { return static_cast<double>(std::bit_ceil(d)); },
};

/// Norms of the rows: `fixed` is sqrt(D), `chi` the radius of the kernel's law (chi(D) for the normal law).
inline constexpr Parameter kNorms = {
    .name = "norms",
    .standard = "auto",
    .allowed = "'auto', 'fixed' or 'chi'",
    .meaning = "norms of rows: 'fixed' (sqrt of the block), 'chi' (random); 'auto': chi where the map or law needs it",
    .accepts = [](const Value& value,
                  std::size_t) { return is_word(value, "auto") || is_word(value, "fixed") || is_word(value, "chi"); },
    .fallback = [](std::size_t) -> Value { return "auto"; },
};

inline constexpr Parameter kRounds = {
    .name = "rounds",
    .standard = "3",
    .allowed = "1, 2 or 3",
    .meaning = "how often signs and a Walsh-Hadamard transform are applied",
    .accepts = [](const Value& value, std::size_t) { return is_count(value) && std::get<double>(value) <= 3; },
    .fallback = [](std::size_t) -> Value { return 3.0; },
};

}  // namespace bochner
