// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner::theory {

// Two orthogonal rows w1, w2 with independent chi_d norms: the case c = 0 of conformity.h, as functions of one scalar.
// A pair at another angle is an average of these.

/// log rho(v2) = log E e^{(w1+w2).v} = log 1F1(d; d/2; v2/2), v2 = |v|^2 >= 0.
/// Absolute error (so relative error of rho) 2e-16 max(10, v2). Cost O(v2 + sqrt(v2)), O(d) for v2 > 2 d^2.
double log_rho_orthogonal(double v2, std::size_t d);

/// log rho(v2) - v2/2, about (d/2) log(v2/2) for large v2; v2 may have any size. Relative error 1e-15 for v2 > 2 d^2
/// and v2 > 100, otherwise the absolute error of log rho.
double log_rho_rest_orthogonal(double v2, std::size_t d);

/// 1 - e^{-v2} rho(v2), in [0, 1]: what orthogonality gains, as a fraction of the independent pair e^{v2}.
/// Behaves as v2^2 / (2(d+2)) for small v2. Relative error 1e-16 max(10, v2). Cost O(min(v2, 400 + 20 sqrt(d))).
double rho_gap_orthogonal(double v2, std::size_t d);

/// E cos(w1.z) cos(w2.z) - e^{-z2} = 1F1(d; d/2; -z2/2) - e^{-z2}, z2 = |z|^2 >= 0; about -z2^2/(2(d+2)) for small z2.
/// Absolute error 1e-15 min(1, z2^2/d), relative error 1e-15 e^{z2} where z2^2 <= 2d. Cost O(min(z2, 100 + 10 sqrt d)).
double conf_difference_orthogonal(double z2, std::size_t d);

}  // namespace bochner::theory
