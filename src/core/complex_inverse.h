// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace bochner {

struct ComplexInverse {
  std::vector<std::complex<double>> matrix;  ///< row by row; empty where a pivot is zero
  double condition;                          ///< |A| |A^{-1}| in the largest-row-sum norm; infinite where singular
};

/// A^{-1} of a d x d matrix given row by row, by LU with partial pivoting: 8 d^3 real multiplications; relative error
/// about d u condition.
ComplexInverse complex_inverse(std::span<const std::complex<double>> A, std::size_t d);

}  // namespace bochner
