// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bochner/matrix.h"
#include "bochner/matrix_view.h"

namespace bochner::theory {

// Attention with features of independent rows. One direction estimates the weight exp(x.y_i) by g_i, and
//   E g_i g_j = (1-4A)^D (1-8A)^{-D/2} exp((1-4A) |2x + y_i + y_j|^2 / (2 (1-8A)) - |x|^2 - (|y_i|^2 + |y_j|^2) / 2)
// for phi(x) = (1-4A)^{D/4} exp(A |w|^2 + sqrt(1-4A) w.x - |x|^2/2) (FORMULAS: E exp(a |w|^2 + b.w) = (1-2a)^{-D/2}
// exp(|b|^2 / (2 (1-2a)))); the mean over +-w has half of that plus half of the same with |y_i - y_j|^2.
// A = 0: positive features.

/// G(i, j) = E g_i g_j / (sum_l exp(x.y_l))^2 for the keys y_i in the rows of Y.
Matrix<double> second_moments_of_weights(double A, bool paired, std::span<const double> x, MatrixView<const double> Y,
                                         std::size_t D);

}  // namespace bochner::theory
