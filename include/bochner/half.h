// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "bochner/export.h"

namespace bochner {

/// IEEE binary16: 11 bits of significand, at most 65504.
struct BOCHNER_EXPORT Float16 {
  std::uint16_t bits = 0;

  Float16() = default;
  /// The nearest number, ties to even; infinity above 65519.99.
  explicit constexpr Float16(float number) {
    const std::uint32_t all = std::bit_cast<std::uint32_t>(number), sign = all >> 16 & 0x8000, size = all & 0x7fffffff;
    if (size > 0x7f800000)
      bits = static_cast<std::uint16_t>(sign | 0x7e00 | (size >> 13 & 0x3ff));
    else if (size >= 0x477ff000)
      bits = static_cast<std::uint16_t>(sign | 0x7c00);
    else if (size >= 0x38800000)
      bits = static_cast<std::uint16_t>(sign | (((size + 0xfff + (size >> 13 & 1)) >> 13) - 0x1c000));
    else  // adding 1/2 leaves multiples of 2^-24, rounded by the machine
      bits = static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F) -
                                                std::bit_cast<std::uint32_t>(0.5F)));
  }
  explicit constexpr operator float() const {
    const std::uint32_t sign = (bits & 0x8000U) << 16, exponent = bits >> 10 & 0x1fU, rest = bits & 0x3ffU;
    if (exponent == 0) {
      const float size = static_cast<float>(rest) * 0x1p-24F;
      return sign != 0 ? -size : size;
    }
    const std::uint32_t wide = exponent == 0x1f ? 0xffU : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | rest << 13);
  }
};

/// The upper half of a float: 8 bits of significand.
struct BOCHNER_EXPORT BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  /// The nearest number, ties to even.
  explicit constexpr BFloat16(float number) {
    const std::uint32_t all = std::bit_cast<std::uint32_t>(number);
    bits = static_cast<std::uint16_t>((all & 0x7fffffff) > 0x7f800000 ? (all >> 16 | 0x40)
                                                                      : (all + 0x7fff + (all >> 16 & 1)) >> 16);
  }
  explicit constexpr operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

}  // namespace bochner
