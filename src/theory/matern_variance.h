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
/// with its own radius chi_d sqrt(s). Given s1 and s2, and with |w1| = rho sqrt(s1) cos(phi/2), |w2| = rho sqrt(s2)
/// sin(phi/2), rho^2/2 ~ Gamma(d), phi as in angle_nodes.h,
///   E cos cos = 1/2 sum_{+-} E 1F1(d; d/2; -z2/2 (s1 cos^2 + s2 sin^2 +- c sqrt(s1 s2) sin phi)).
/// G1 = T B, G2 = T (1 - B), T ~ Gamma(2 nu) and B ~ Beta(nu, nu) independent, make it a mean over (phi, B) of one
/// function, tabulated by a mean over T. Absolute error 1e-11 for c >= -1/2 and nu >= 0.1; 1e-6 for c = -1 and nu <
/// 1/2, whose integrand has a kink at w1 = -w2. Cost 1 ms to 20 ms.
double pair_difference_matern(double nu, double z2, std::size_t d, double c);

}  // namespace bochner::theory
