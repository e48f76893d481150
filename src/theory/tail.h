// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "theory/variance.h"

namespace bochner::theory {

// Tail of exponential features with real A < 0 and s = 1 (Likhosherstov et al., Chefs' Random Tables, Theorem 4.2,
// whose power of 1-4A and constant are misprinted). For one row in R^D, Gaussian kernel, v2 = |x+y|^2,
//   0 < f(x) f(y) <= b = (1-4A)^{D/2} exp(-(1-4A) v2 / (8A) - nx - ny),
// the maximum over w, so that by Hoeffding's inequality, m independent rows,
//   P(|phi(x).phi(y) - k(x, y)| >= t) <= 2 exp(-2 m t^2 / b^2).
// The mean over a pair +-w has the same range.

/// log b + log_factor / 2, log_factor as in variance.h.
double log_feature_product_bound(double A, const PairGeometry& pair, double log_factor, std::size_t D);

/// The bound of the probability, at most 1; t >= 0.
double tail_bound(double log_b, double t, std::size_t m);

}  // namespace bochner::theory
