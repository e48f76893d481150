// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner::simd {

/// The nonlinearity f of phi(x) = f(W x), applied to projections while they are in cache.
/// p = slope * w_j . x; per row i: a = row_offset[i], s = scale * row_scale[i]; per direction j: b = column_offset[j]
/// (null pointers stand for 0, 1, 0).
///
/// With u = 2^-24 (float) or 2^-53 (double) and q = p + a + b, errors at equal argument are at most:
///
/// shape          outputs of direction j                         error, range
/// linear         s p                                            one rounding
/// add            Z + s p                                        two roundings
/// cosine         s cos(c), c = p + 2 pi b                       (12 + 3 |c|) u s absolute; never beyond s (1 + 12 u)
/// sincos         s sin(p) at j, s cos(p) at m + j               as cosine; b is ignored
/// cis            s t cos(p) at j, s t sin(p) at m + j           as cosine, times t = column_scale[j] (null: 1)
/// exp            s exp(q)                                       (4 + 3 (|p| + |a + b|)) u relative for exp(q) in the
///                                                               normal range of T; falls to 0 below, infinity above
/// exp_pair       s exp(p + a + b) at j, s exp(-p + a + b) at    as exp
///                m + j
/// exponent       q, the exponent of exp                         two roundings
/// exponent_pair  p + a + b at j, -p + a + b at m + j            two roundings
/// complex_exp    s exp(q) cos(c) at j, s exp(q) sin(c) at       the sum of the errors of exp and cosine, times
///                m + j, c = phase_slope w_j . x +               s exp(q), for any finite c; infinite or NaN where
///                2 pi column_phase[j]                           exp(q) overflows
/// sign           s if p >= 0, else -s                           none; sgn(0) = +1
enum class Shape { linear, add, cosine, sincos, exp, exp_pair, exponent, exponent_pair, sign, cis, complex_exp };

/// Number of outputs per direction.
constexpr std::size_t width(Shape shape) {
  return shape == Shape::sincos || shape == Shape::exp_pair || shape == Shape::exponent_pair || shape == Shape::cis ||
                 shape == Shape::complex_exp
             ? 2
             : 1;
}

/// Whether outputs may overflow although the projections do not.
constexpr bool is_unbounded(Shape shape) {
  return shape == Shape::exp || shape == Shape::exp_pair || shape == Shape::complex_exp;
}

template <class T>
struct Finish {
  Shape shape = Shape::linear;
  T scale = 1;
  T slope = 1;
  const T* row_scale = nullptr;      ///< one per row of the block
  const T* row_offset = nullptr;     ///< one per row of the block, natural units
  const T* column_offset = nullptr;  ///< one per direction; cosine: in turns (fractions of 2 pi), exp: natural units
  const T* column_scale = nullptr;   ///< one per direction; cis
  T phase_slope = 0;                 ///< complex_exp
  const T* column_phase = nullptr;   ///< one per direction, in turns; complex_exp
  /// One per row of the block: becomes infinite where s exp(q) of a direction is infinite, and is left unchanged
  /// elsewhere. For exp, exp_pair and complex_exp; null where it is not wanted, at no cost.
  T* row_top = nullptr;
};

}  // namespace bochner::simd
