// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "theory/variance.h"

namespace bochner::theory {

// Complex exponential features (Choromanski et al., Hybrid Random Features, Sec. 2.4 and App. H):
//   Re Psi_A(x) Psi_M(y), M = (A')^{-1},  Psi_M(x) = exp(-(Mx)^2/2 + w.Mx),  (u)^2 = sum_k u_k^2.
// With zc = A x + M y, h = sum |zc_k|^2, b = sum zc_k^2, K the kernel, for one row (new; h is the paper's loss l(A)):
//   variance = K^2 ( (e^h + Re e^b)/2 - 1 ).

/// Mean squared error of m independent rows, times e^{log_factor}, in the notation of variance.h.
double mse_complex_exponential(std::span<const std::complex<double>> zc, const PairGeometry& pair, double log_factor,
                               std::size_t m);

/// For real A the estimate is K e^{-h/2} e^{w.zc}: that of `positive` at |x+y|^2 = h, for every coupling. This is the
/// pair at which mse_positive is the error; no closed form is known for complex A and coupled rows.
PairGeometry positive_counterpart(std::span<const double> zc, const PairGeometry& pair);

/// Diagonal A that makes A x + A^{-1} y vanish: a_k = sqrt(-y_k/x_k), imaginary for y_k/x_k > 0; 1 where both are 0.
/// |a_k|^2 stays within [1e-12, 1e12]; y_k = 0 and x_k = 0 give these bounds.
std::vector<std::complex<double>> vanishing_diagonal(std::span<const double> x, std::span<const double> y);

/// The best real diagonal, a_k = sqrt|y_k/x_k|, which leaves h = 4 sum max(0, x_k y_k).
std::vector<double> vanishing_real_diagonal(std::span<const double> x, std::span<const double> y);

}  // namespace bochner::theory
