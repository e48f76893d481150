// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace bochner::theory {

// Var cos(w.z) = (1 + k(2z))/2 - k(z)^2 = [ (1 - k(z)^2)^2 + k(2z) - k(z)^4 ] / 2 for a shift-invariant kernel
// k(z) = E cos(w.z); the second form loses no digits for small z where the bracket can be simplified. z = x - y in
// units of the lengthscale, any length. Relative error about 1e-15 (d + 1), for every finite z.

/// laplace, k(z) = exp(-sum |z_l|): k(2z) = k(z)^2, so (1 - k(z)^2)/2.
double variance_laplace(std::span<const double> z);
/// cauchy, k(z) = prod 1 / (1 + z_l^2).
double variance_cauchy(std::span<const double> z);

}  // namespace bochner::theory
