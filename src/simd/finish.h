// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner::simd {

/// The nonlinearity f of phi(x) = f(W x), applied to projections p = w_j . x while they are in cache.
/// Per row i: a = row_offset[i], s = scale * row_scale[i]; per direction j: b = column_offset[j] (null: 0, 1, 0).
///
/// shape       outputs of direction j                           arithmetic and error (u = 2^-24 float, 2^-53 double)
/// linear      s p                                              exact to rounding
/// add         Z + s p                                          exact to rounding
/// cosine      s cos(p + 2 pi b)                                absolute error <= 8 u s for |p| <= 2^20, bounded by s always
/// sincos      s sin(p) at j, s cos(p) at m + j                 same as cosine; b is ignored
/// exp         s exp(p + a + b)                                 relative error <= 4 u + |p + a + b| 2 u; 0 below e^-87 (-708)
/// exp_pair    s exp(p + a + b) at j, s exp(-p + a + b) at m+j  same as exp
/// sign        s if p >= 0, else -s                             exact; sgn(0) = +1
enum class Shape { linear, add, cosine, sincos, exp, exp_pair, sign };

/// Number of outputs per direction.
constexpr std::size_t width(Shape shape) {
  return shape == Shape::sincos || shape == Shape::exp_pair ? 2 : 1;
}

template <class T>
struct Finish {
  Shape shape = Shape::linear;
  T scale = 1;
  const T* row_scale = nullptr;      ///< one per row of the block
  const T* row_offset = nullptr;     ///< one per row of the block, natural units
  const T* column_offset = nullptr;  ///< one per direction; cosine: in turns (fractions of 2 pi), exp: natural units
};

}  // namespace bochner::simd
