// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace bochner::theory {

// The Matern kernel is a mixture of Gaussian ones: w = g / sqrt(G / nu), g ~ N(0, I), G ~ Gamma(nu), so that
//   k(z) = E e^{-s z2 / 2}, s = nu / G, z2 = |z|^2 in units of the lengthscale.
// nu from 1e-9 to 1e6 (beyond, digits are lost: 1e-8 at 1e15).

/// Var cos(w.z) = E (1 - e^{-s z2})^2 / 2 + Var e^{-s z2 / 2}: sums of positive terms, relative error 1e-12 for z2 from
/// 1e-12 to 1e3. Cost 10 us for nu >= 1, at most 1 ms.
double variance_matern(double nu, double z2);

/// E cos(w1.z) cos(w2.z) - k(z)^2 for two rows of one block in R^d, d >= 2: their directions meet at the fixed cosine
/// c, and each row has its own radius chi_d sqrt(s). By the addition theorem of spherical harmonics (N_l of degree l;
/// P_l the Gegenbauer polynomial of R^d, P_l(1) = 1) it is
///   sum_{l = 2, 4, ...} N_l P_l(c) A_l^2,   A_l = |E cos(w.z) P_l(w.z / |w||z|)|:
/// k(z)^2 is the term of degree 0, so nothing is subtracted, and for small z2 only the first term matters. Relative
/// error 1e-15 max(10, d) for z2 <= 1, beyond that relative to the value at c = -1, for c = 0, -1, -1/2, -1/3, ... and
/// nu >= 0.1; for |c| in (0.9, 1), which no coupling has, and nu < 1 absolute error 1e-5. Cost 10 us to 500 us; 1 ms to
/// 200 ms for the first z2 of a new size with these nu, d and c.
double pair_difference_matern(double nu, double z2, std::size_t d, double c);

/// Even harmonics of R^D, given by half their degree: n = l/2 >= 1, which need not be an integer.
struct HarmonicDegrees {
  std::vector<double> n;
  std::vector<double> half_log_count;  ///< log sqrt(N_l), N_l = (2l+D-2) Gamma(l+D-2) / (Gamma(l+1) Gamma(D-1))
};

/// n = 1, ..., last.
HarmonicDegrees first_degrees(std::size_t last, std::size_t D);
/// Any n.
HarmonicDegrees degrees_at(std::vector<double> n, std::size_t D);

/// sqrt(N_l) E A_n(y), y = z2 nu / (2G), G ~ Gamma(nu), for each degree: cos(w.z) = sum_l (-1)^n N_l A_l(|w|) P_l(cos
/// of the angle between w and z), and the mean of A_l over |w|^2 ~ (2y/z2) chi^2_D is
///   A_n(y) = y^n Gamma(D/2+n)/Gamma(D/2+2n) 1F1(D/2+n; D/2+2n; -y)
///          = y^n/Gamma(n) int_0^1 b^{D/2+n-1} (1-b)^{n-1} e^{-yb} db.
/// Both means are computed by trapezoidal rules, in log(b/(1-b)) and in log y, over positive terms: relative error
/// about 1e-15 max(10, D) for every z2. The Mellin transform of A_n is Gamma(n+s) Gamma(D/2-s)/Gamma(D/2+n-s), so in
/// log y it has the curvature of a Gamma law of shape 1/(1/n + 2/D), or a strip of half width pi/2 where that is small:
/// the step depends only on nu, D and the last n of the list, which must be the largest. A_n at the nodes of log y does
/// not depend on z2, so each thread keeps it, up to 8 MiB. Cost 30 ms for 100 degrees, then 40 us for every other z2 of
/// about the same size.
std::vector<double> mixed_amplitudes(double nu, double z2, std::size_t D, const HarmonicDegrees& degrees);

}  // namespace bochner::theory
