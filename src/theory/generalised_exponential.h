// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "theory/blocks.h"
#include "theory/variance.h"

namespace bochner::theory {

// Generalised exponential features with real A < 1/8 and s = 1 (Likhosherstov et al., Chefs' Random Tables):
//   f(x) = (1-4A)^{D/4} exp(A |w|^2 + sqrt(1-4A) w.x - |x|^2),  rho = 1/(1-8A).
// For one row, Gaussian kernel, v2 = |x+y|^2:
//   single   e^{-2nx-2ny} [ ((1+rho)/(2 sqrt rho))^D e^{(1+rho) v2} - e^{v2} ]
//   pair +-w e^{-2nx-2ny} [ ((1+rho)/(2 sqrt rho))^D (1 + e^{(1+rho) v2})/2 - e^{v2} ]
// For every A, the covariance of two rows of a block is that of A = 0: exp(2A|w|^2) only rescales the norms. So the
// best A is the same for every coupling.

/// A that minimises the variance of `single`: rho* = 2D / (2 v2 + D + R), R = sqrt((2 v2 + D)^2 + 8 D v2), A* = (1 -
/// 1/rho*)/8 = -v2/(8D) (1 + (2 v2 + 6 D)/(R + D)), without cancellation. It is 0 at v2 = 0 and falls to minus
/// infinity; v2 >= 0 finite, D >= 1.
double optimal_A(double v2, std::size_t D);

/// A that minimises the variance of `pair`: rho in (0, 1] with D (rho-1)/(2 rho (1+rho)) + v2/(1+e^{-(1+rho) v2}) = 0,
/// a rising function of rho; by bisection in q = 1/rho - 1 = -8A, at most 4 v2/D, to a relative error of 1e-15.
double optimal_paired_A(double v2, std::size_t D);

/// Mean squared error of `pair`, times e^{log_factor}, in the notation of variance.h. Relative error 2e-15 max(10, D,
/// v2) for v2 of any size; never 0 where the true value is not. For `single` see mse_generalised in exponential.h.
double mse_generalised_paired(double A, const PairGeometry& pair, double log_factor, const BlockStructure& blocks);

// The tail of exponential features with real A < 0 and s = 1 (Likhosherstov et al., Chefs' Random Tables, Theorem 4.2,
// where the power of 1-4A and the constant are misprinted). For one row in R^D, Gaussian kernel, v2 = |x+y|^2,
//   0 < f(x) f(y) <= b = (1-4A)^{D/2} exp(-(1-4A) v2 / (8A) - nx - ny),
// where b is the maximum over w. By Hoeffding's inequality, for m independent rows,
//   P(|phi(x).phi(y) - k(x, y)| >= t) <= 2 exp(-2 m t^2 / b^2).
// The mean over a pair +-w has the same range.

/// log b + log_factor / 2, with log_factor as in variance.h.
double log_feature_product_bound(double A, const PairGeometry& pair, double log_factor, std::size_t D);

/// The bound on the probability, at most 1; t >= 0.
double tail_bound(double log_b, double t, std::size_t m);

}  // namespace bochner::theory
