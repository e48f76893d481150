// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bochner::theory {

// Modified Bessel functions of real t >= 0, by the power series up to t = 30 and the asymptotic series above, whose
// terms fall below 1e-17 before they grow. Relative error 1e-15 for every finite t.

/// log I_0(t): t^2/4 for small t, t - log(2 pi t)/2 for large.
double log_bessel_i0(double t);
/// I_1(t) / I_0(t): t/2 for small t, 1 - 1/(2t) for large.
double bessel_ratio(double t);

}  // namespace bochner::theory
