// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

/// How (A + alpha I) was made solvable.
struct Factorised {
  double jitter = 0;     ///< added to the diagonal beyond alpha; 0 when none was needed
  double condition = 1;  ///< estimate for A + (alpha + jitter) I in the 1-norm
};

/// Throws std::invalid_argument: products of features overflow.
[[noreturn]] void refuse_large_products();

/// Replaces every row b of B by (A + alpha I)^-1 b; A is given by its lower triangle. n^3 / 3 flops. If the Cholesky
/// factorisation fails, 1e-12, 1e-11, ... 1e-6 of the mean diagonal are added in turn. The result is empty if none of
/// them helps or if the estimated least eigenvalue is then not above `noise`; B and the lower triangle of A are then
/// unchanged. On success A holds the factor. Throws std::invalid_argument if A is not finite.
std::optional<Factorised> solve_cholesky(MatrixView<double> A, double alpha, MatrixView<double> B, double noise = 0);

/// A = sum_j values_j v_j v_j', where v_j are the rows of `vectors`. Values ascend; those below 0 by rounding become 0.
struct Spectrum {
  Matrix<double> vectors;
  std::vector<double> values;

  double largest() const { return values.empty() ? 0.0 : values.back(); }
  /// Condition number of A + alpha I in the 2-norm; infinity if singular.
  double condition(double alpha) const;
};

/// The spectrum of a positive semidefinite A given by its lower triangle. Throws std::invalid_argument if A is not
/// finite.
Spectrum spectrum_of(Matrix<double> A);

/// C = A B' in row blocks on all threads.
void multiply_nt(MatrixView<const double> A, MatrixView<const double> B, MatrixView<double> C);

}  // namespace bochner
