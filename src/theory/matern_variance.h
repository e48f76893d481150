// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner::theory {

// The Matern kernel is a mixture of Gaussian ones: w = g / sqrt(G / nu), g ~ N(0, I), G ~ Gamma(nu), so that
//   k(z) = E e^{-s z2 / 2}, s = nu / G, z2 = |z|^2 in units of the lengthscale.
// nu from 1e-9 to 1e6 (beyond, digits are lost: 1e-8 at 1e15).

/// Var cos(w.z) = E (1 - e^{-s z2})^2 / 2 + Var e^{-s z2 / 2}: sums of positive terms, relative error 1e-12 for z2 from
/// 1e-12 to 1e3. Cost 10 us for nu >= 1, at most 1 ms.
double variance_matern(double nu, double z2);

/// E cos(w1.z) cos(w2.z) - k(z)^2 for two rows of one block in R^d, d >= 2: directions at the fixed cosine c, each row
/// with its own radius chi_d sqrt(s). By the addition theorem of spherical harmonics, with N_l of them of degree l and
/// P_l the Gegenbauer polynomial of R^d, P_l(1) = 1,
///   sum_{l = 2, 4, ...} N_l P_l(c) A_l^2,   A_l = |E cos(w.z) P_l(w.z / |w||z|)| (matern_harmonics.h):
/// k(z)^2 is the term of degree 0, so nothing is subtracted, and for small z2 the first term is all of it. Relative
/// error 1e-15 max(10, d) for z2 <= 1, beyond relative to the value at c = -1, for c = 0, -1, -1/2, -1/3, ... and nu >=
/// 0.1; for |c| in (0.9, 1), which no coupling has, and nu < 1 absolute error 1e-5. Cost 10 us to 500 us; 1 ms to 200
/// ms for the first z2 of a size with these nu, d and c.
double pair_difference_matern(double nu, double z2, std::size_t d, double c);

}  // namespace bochner::theory
