// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner::theory {

// Conformity of two rows w1, w2 of one block in R^d: fixed cosine c of their angle (-1 <= c <= 1), independent chi_d
// norms, one uniform rotation. Independent rows have e^{v2}, e^{v2} and e^{-z2} instead. With phi on (0, pi), density ~
// sin^{d-1} phi (Reid et al., Simplex Random Features):
//   rho_c(v2)        = E e^{(w1+w2).v} = E_phi 1F1(d; d/2; (v2/2)(1 + c sin phi))        positive features
//   rho_paired_c(v2) = E cosh(w1.v) cosh(w2.v) = (rho_c(v2) + rho_{-c}(v2))/2            positive features in pairs +-w
//   conf_c(z2)       = E cos(w1.z) cos(w2.z) = rho_paired_c at v2 -> -z2                 trigonometric features
// d >= 1 for c = 0 and d >= 2 otherwise; v2, z2 >= 0. c = 0 is orthogonal, c = -1/(r-1) a simplex of r vertices.
//
// Errors, measured against 60-digit values for d from 2 to 1e5 and arguments from 1e-12 to 1e3: rho 4e-13 relative (as
// the absolute error of its logarithm); rho_difference 3e-14 relative for c <= 0; rho_paired_difference 1e-13 relative
// while v2 (1+|c|) < 260 (3e-13 of the larger of rho_paired and e^{v2} beyond), for any log_scale; conf and its
// difference 1e-15 absolute, the difference also 2e-15 e^{z2} relative where z2^2 <= 2d. Where c^2 d = 1 the parts of
// order v2^2 and z2^2 vanish, and for small arguments the errors of the last two are relative to these parts at c = 0.
// Cost: 0.1 us to 5 us for c = 0; else 5 us to 100 us while the argument is below d, 30 ms at worst (d = 2, 1e3).

double log_rho(double v2, std::size_t d, double c);
double log_rho_paired(double v2, std::size_t d, double c);
double conf(double z2, std::size_t d, double c);

/// (rho_c(v2) - e^{v2}) e^{-log_scale}, without cancellation for small v2; negative for c <= 0.
/// With log_scale = 2 v2 every term is at most 1 for every c.
double rho_difference(double v2, std::size_t d, double c, double log_scale = 0.0);
/// (rho_paired_c(v2) - e^{v2}) e^{-log_scale}.
double rho_paired_difference(double v2, std::size_t d, double c, double log_scale = 0.0);
/// conf_c(z2) - e^{-z2}.
double conf_difference(double z2, std::size_t d, double c);

}  // namespace bochner::theory
