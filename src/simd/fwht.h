// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bochner/matrix_view.h"

namespace bochner::simd {

/// The diagonal matrices around a Walsh-Hadamard transform.
template <class T>
struct Diagonals {
  /// n signs of the inputs, kPlus or kMinus (one byte each, so that those of a row of 2^12 floats stay in L1 with it);
  /// null: all plus.
  const std::uint8_t* signs = nullptr;
  /// Factors of the outputs: none, one for all outputs, or n.
  std::span<const T> factors = {};

  static constexpr std::uint8_t kPlus = 0;
  static constexpr std::uint8_t kMinus = 0x80;
};

/// Largest order.
inline constexpr std::size_t kLargestHadamard = std::size_t{1} << 20;

/// Y = diag(factors) H diag(signs) [x; 0] for every row x of X, H the n x n matrix H_ij = (-1)^popcount(i & j)
/// (Sylvester's order, not normalised: H H = n I). n = Y.cols() is a power of two up to 2^20, X.cols() <= n, and
/// missing inputs are 0. X may be Y itself or the first columns of Y.
///
/// n log2(n) additions per row, radix 2 to 16 in registers; rows beyond L1 are split depth first, so that each level of
/// the memory hierarchy is crossed once per 3 or 4 of the log2(n) stages. Stages go from distance n/2 down to 1
/// everywhere, so the bits are those of plain loops: the same for any batch, row, stride, alignment and instruction
/// set. With u the unit roundoff, |y_i - exact| <= log2(n) u sum_j |x_j| to first order (one more rounding with
/// factors).
template <class T>
void fwht(MatrixView<const T> X, const Diagonals<T>& diagonals, MatrixView<T> Y);

}  // namespace bochner::simd
