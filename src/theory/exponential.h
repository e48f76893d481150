// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>

#include "theory/blocks.h"
#include "theory/variance.h"

namespace bochner::theory {

// Generalised exponential features (Likhosherstov et al., Chefs' Random Tables, Eq. 6): Re f1 f2 with
//   f1 = D exp(A |w|^2 + B w.x + C |x|^2),  f2 = D exp(A |w|^2 + s B w.y + C |y|^2),
//   B = sqrt(s (1-4A)),  C = -(s+1)/2,  D = (1-4A)^{d/4},  s = +-1,  A complex, a = Re A < 1/8.
// With u2 = |x + s y|^2 (v2 or z2), for one row and the Gaussian kernel K:
//   b = log E (f1 f2)^2 / K^2  = (d/2) log(1 + 16 A^2/(1-8A))    + s u2 / (1-8A)
//   h = log E |f1 f2|^2 / K^2  = (d/2) log(1 + 16 |A|^2/(1-8a))  + u2 (|1-4A| + 4 s a)/(1-8a)
//   variance = K^2 ( (Re e^b + e^h)/2 - 1 ),
// which is the form of the paper's Eq. 6 divided by K^2 = e^{-z2}, without its cancellations. The covariance of two
// rows of a block does not depend on A: it is that of `positive` for s = 1 and that of `trigonometric` for s = -1.

/// log E (Re f1 f2)^2 for u2 = v2 (s = 1) or z2 (s = -1): the criterion for choosing A; v2 + z2 = 2 |x|^2 + 2 |y|^2.
double log_second_moment(std::complex<double> A, int s, double v2, double z2, std::size_t D);

/// Mean squared error, times e^{log_factor}, in the notation of variance.h. Relative error about 1e-15 max(10, D, v2,
/// z2) for real A; for complex A also 1e-15 |A| D relative to K^2, which matters where u2 and A are both tiny.
double mse_exponential(std::complex<double> A, int s, const PairGeometry& pair, double log_factor,
                       const BlockStructure& blocks);

/// The same for real A and s = 1: relative error 2e-15 max(10, D, v2) for v2 of any size; never 0 where the true value
/// is not.
double mse_generalised(double A, const PairGeometry& pair, double log_factor, const BlockStructure& blocks);

struct ExponentialWeight {
  std::complex<double> A;
  int s;
};

/// Real A >= 0 of least variance for s = -1: rho = 1/(1-8A) >= 1 is the root of the rising function
/// (D/2) (rho - 1) - z2 rho (1+rho) / (1 + e^{(1+rho) z2}), below 2.3, by bisection to 1e-15.
double optimal_phase_A(double z2, std::size_t D);

/// The better of optimal_A (s = 1) and optimal_phase_A (s = -1). No complex A was found to be better in 500 random
/// problems; optimal_complex_A lets anyone try.
ExponentialWeight optimal_exponential(double v2, double z2, std::size_t D);

/// A of least second moment in the half plane Re A < 1/8 for one s: a grid in log(1-8A), then a compass search from its
/// best points to 1e-9. About 5000 evaluations.
std::complex<double> optimal_complex_A(int s, double v2, double z2, std::size_t D);

}  // namespace bochner::theory
