// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bochner/matrix_view.h"

namespace bochner::simd {

/// What Monomials::apply writes.
enum class MonomialOutput {
  value,     ///< f
  exponent,  ///< log |f|, -infinity where f is 0
};

/// Monomials with whole exponents, f_j(x) = exp(a + b_j) prod_l (scale x_l)^{k_jl}, 0^0 = 1, from logarithms and signs:
/// nothing overflows on the way for any exponents. Zero exponents are left out: f_j costs a fused multiply-add for each
/// non-zero exponent and one exponential.
///
/// With u = 2^-24 (float) or 2^-53 (double) and the size S = |a| + |b_j| + sum_l k_jl (1 + |log|scale x_l||), the
/// exponent has an error of at most (4 + n_j / 2) u S for n_j non-zero exponents, and f_j that relative error + 4 u
/// where |f_j| is in the normal range of T; it falls to 0 below and to infinity above. The values for a row of X have
/// the same bits whatever other rows are in X.
class Monomials {
 public:
  /// `exponents`: m x d, whole numbers in [0, 2^24]. `offsets`: b, one per row.
  Monomials(MatrixView<const double> exponents, std::vector<double> offsets, double scale);

  /// Z (n x m) from the rows of X (n x d), with finite a = row_offset[i]. Keeps d panels of 64 rows per thread. Where
  /// `top` is not empty (one number per row; only for values), it becomes infinite for rows with an infinite feature
  /// and is unchanged elsewhere; it costs nothing where the largest coordinate of a row shows that all features are in
  /// range.
  template <class T>
  void apply(MatrixView<const T> X, std::span<const T> row_offset, MatrixView<T> Z,
             MonomialOutput output = MonomialOutput::value, std::span<T> top = {}) const;

  /// A non-zero exponent.
  struct Factor {
    std::uint32_t coordinate;
    float exponent;
  };
  /// The factors of row j: odd exponents in [first[j], even[j]), even ones in [even[j], first[j + 1]).
  struct Rows {
    std::vector<std::size_t> first, even;
    std::vector<Factor> factors;
    std::vector<double> offsets;  ///< to base 2
    double scale;
    double most_offset = 0, most_factors = 0;  ///< the largest over rows: offset, sum of exponents
  };

 private:
  Rows rows_;
};

}  // namespace bochner::simd
