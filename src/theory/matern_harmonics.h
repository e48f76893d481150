// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace bochner::theory {

/// Even harmonics of R^D by n, half their degree l = 2n; n >= 1 need not be an integer.
struct HarmonicDegrees {
  std::vector<double> n;
  std::vector<double> half_log_count;  ///< log sqrt(N_l), N_l = (2l+D-2) Gamma(l+D-2) / (Gamma(l+1) Gamma(D-1))
};

/// n = 1, ..., last.
HarmonicDegrees first_degrees(std::size_t last, std::size_t D);
/// Any n.
HarmonicDegrees degrees_at(std::vector<double> n, std::size_t D);

/// sqrt(N_l) E A_n(y), y = z2 nu / (2G), G ~ Gamma(nu), for each of the degrees: cos(w.z) = sum_l (-1)^n N_l A_l(|w|)
/// P_l(cos of the angle between w and z), and the mean of A_l over |w|^2 ~ (2y/z2) chi^2_D is
///   A_n(y) = y^n Gamma(D/2+n)/Gamma(D/2+2n) 1F1(D/2+n; D/2+2n; -y)
///          = y^n/Gamma(n) int_0^1 b^{D/2+n-1} (1-b)^{n-1} e^{-yb} db.
/// Both means are trapezoidal rules, in log(b/(1-b)) and in log y, over positive terms: relative error about
/// 1e-15 max(10, D), whatever z2. The Mellin transform of A_n is Gamma(n+s) Gamma(D/2-s)/Gamma(D/2+n-s), so in log y it
/// has the curvature of a Gamma law of shape 1/(1/n + 2/D), or a strip of half width pi/2 where that is small: the step
/// depends only on nu, D and the last n of the list, which must be the largest. A_n at the nodes of log y does not
/// depend on z2: each thread keeps it, up to 8 MiB. Cost 30 ms for 100 degrees, then 40 us for every other z2 of about
/// the same size.
std::vector<double> mixed_amplitudes(double nu, double z2, std::size_t D, const HarmonicDegrees& degrees);

}  // namespace bochner::theory
