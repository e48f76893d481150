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

/// Replaces every row b of B by (A + alpha I)^-1 b, A given by its lower triangle, n^3 / 3 flops. Where the Cholesky
/// factorisation fails, 1e-12, 1e-11, ... 1e-6 of the mean diagonal are added in turn; empty if none of them helps or
/// the least eigenvalue is then, by estimate, not above `noise`: B is untouched and the lower triangle of A as it was.
/// On success A holds the factor. Throws std::invalid_argument when A is not finite.
std::optional<Factorised> solve_cholesky(MatrixView<double> A, double alpha, MatrixView<double> B, double noise = 0);

/// A = sum_j values_j v_j v_j', v_j the rows of `vectors`; values ascend and are at least 0: rounding below is cut off.
struct Spectrum {
  Matrix<double> vectors;
  std::vector<double> values;

  double largest() const { return values.empty() ? 0.0 : values.back(); }
  /// Of A + alpha I in the 2-norm; infinity if singular.
  double condition(double alpha) const;
};

/// Of a positive semidefinite A given by its lower triangle. Throws std::invalid_argument when A is not finite.
Spectrum spectrum_of(Matrix<double> A);

/// C = A B' in row blocks on all threads.
void multiply_nt(MatrixView<const double> A, MatrixView<const double> B, MatrixView<double> C);

}  // namespace bochner
